/** Proposes two calls at once: each has an outcome of its own. */
import { CountersignClient } from 'countersign';
import { createTestGate } from 'countersign/testing';

const policy = `
people: { olga: { team: T1, user: U1, name: Olga }, alice: { team: T1, user: U2, name: Alice } }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T1, id: C1 } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { deny: ['Bash(rm:*)'], ask: ['Bash(git push:*)'] }
`;

const gate = createTestGate({ policy, approver: () => ({ choice: 'approve' }) });
const client = new CountersignClient(gate.clientOptions('coder'));
const proposalId = await client.proposeAll([
  { id: 'push', toolName: 'Bash', input: { command: 'git push origin main' } },
  { id: 'clean', toolName: 'Bash', input: { command: 'rm -rf build' } },
]);
const { outcome, calls } = await client.wait(proposalId);
console.log(outcome, calls.map((call) => `${call.id} ${call.outcome}`).join(', '));
gate.stop();

// Prints:
// denied push approved, clean denied
