/** Tests an agent against its policy file, with people whom the test plays and without a deployment. */
import { CountersignClient, NotApprovedError } from '../../shared/client/index.ts';
import { createTestGate, ScriptedApprover } from '../../shared/testing/index.ts';

const POLICY = `
people:
  olga: { team: T1, user: U1, name: Olga }
  alice: { team: T1, user: U2, name: Alice }
agents:
  billing: { owner: olga }
channels:
  approvals: { team: T1, id: C1 }
approvers:
  finance: { members: [alice], channel: approvals }
approvals: { approvers: finance }
rules:
  allow: [Lookup]
  ask: [Refund]
`;

/** Refunds two orders; Alice lowers the first amount and refuses the second. Returns what was paid. */
export async function refunds(): Promise<readonly unknown[]> {
  const alice = new ScriptedApprover([
    { choice: 'edit', input: { order: 7, amount: 20 } },
    'approve',
    { choice: 'reject', reason: 'paid already' },
  ]);
  const gate = createTestGate({ policy: POLICY, approver: alice.answer });
  const client = new CountersignClient(gate.clientOptions('billing'));
  const paid: unknown[] = [];
  const refund = client.gate('Refund', (input: { order: number; amount: number }) => paid.push(input));
  try {
    await refund({ order: 7, amount: 25 });
    await refund({ order: 8, amount: 25 }).catch((error: unknown) => {
      if (!(error instanceof NotApprovedError)) throw error;
    });
    alice.assertDone();
    return paid;
  } finally {
    gate.stop();
  }
}
