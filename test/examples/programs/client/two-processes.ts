/** Proposes in one process and runs in another: the guard finds the same proposal by run and call. */
import { CountersignClient, NotApprovedError } from 'countersign';
import { createTestGate, ScriptedApprover } from 'countersign/testing';

const policy = `
people: { olga: { team: T1, user: U1, name: Olga }, alice: { team: T1, user: U2, name: Alice } }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T1, id: C1 } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { ask: [Deploy] }
`;

const alice = new ScriptedApprover(['approve', { choice: 'reject', reason: 'not on a Friday' }]);
const gate = createTestGate({ policy, approver: alice.answer });
const processOf = () => new CountersignClient(gate.clientOptions('coder')).guard({ run: 'run-7' });
const staging = { callId: '1', tool: 'Deploy', input: { to: 'staging' } };
const live = { callId: '2', tool: 'Deploy', input: { to: 'live' } };

const first = processOf();
console.log(await first.asks(staging), await first.asks(live));

const second = processOf();
console.log(await second.run(staging, ({ to }) => `deployed to ${to}`));
try {
  await second.run(live, ({ to }) => `deployed to ${to}`);
} catch (error) {
  if (!(error instanceof NotApprovedError)) throw error;
  console.log(error.code, error.decision.decidedBy.type);
}
gate.stop();

// Prints:
// true true
// deployed to staging
// denied human
