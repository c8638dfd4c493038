/** States a policy in TypeScript: the same checks as for the file, and errors that name the key. */
import { definePolicy } from 'countersign/config';
import { policyTester } from 'countersign/testing';

const base = {
  people: { olga: { team: 'T1', user: 'U1', name: 'Olga' }, alice: { team: 'T1', user: 'U2', name: 'Alice' } },
  agents: { coder: { owner: 'olga' } },
  channels: { approvals: { team: 'T1', id: 'C1' } },
  approvers: { platform: { members: ['alice'], channel: 'approvals' } },
  approvals: { approvers: 'platform' },
};
const { check } = policyTester(definePolicy({ ...base, rules: { allow: ['Bash(npm test:*)'] } }));
console.log((await check('coder', 'Bash', { command: 'npm test' })).verdict);
try {
  definePolicy({ ...base, approvals: { approvers: 'nobody' } });
} catch (error) {
  console.log(error instanceof Error && error.message);
}

// Prints:
// allow
// policy: approvals.approvers: nobody is not declared under approvers; declared there: platform
