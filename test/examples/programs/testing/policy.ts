/** Tests a policy file in one's own build: which rule answers, and who would be asked. */
import { policyTester } from 'countersign/testing';

const policy = `
people: { olga: { team: T1, user: U1, name: Olga }, alice: { team: T1, user: U2, name: Alice } }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T1, id: C1 } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { presets: [read-only], deny: ['Bash(rm:*)'], ask: ['Bash(git push:*)'] }
`;
const { check } = policyTester(policy);
for (const command of ['git status', 'git push', 'git status && rm -rf /']) {
  const { verdict, rule, asks } = await check('coder', 'Bash', { command });
  console.log(verdict, rule ?? '-', asks?.length ?? 0);
}

// Prints:
// allow preset(read-only) 0
// ask Bash(git push:*) 1
// deny Bash(rm:*) 0
