/** Refunds an order once a person approved it, who lowered the amount and confirms the new one. */
import { CountersignClient } from 'countersign';
import { createTestGate, ScriptedApprover } from 'countersign/testing';
import * as z from 'zod';

const policy = `
people: { olga: { team: T1, user: U1, name: Olga }, alice: { team: T1, user: U2, name: Alice } }
agents: { billing: { owner: olga } }
channels: { approvals: { team: T1, id: C1 } }
approvers: { finance: { members: [alice], channel: approvals } }
approvals: { approvers: finance }
rules: { ask: [Refund] }
`;

const alice = new ScriptedApprover([{ choice: 'edit', input: { orderId: 'o-1', amount: 20 } }, 'approve']);
const gate = createTestGate({ policy, approver: alice.answer });
const client = new CountersignClient(gate.clientOptions('billing'));

const Refund = z.object({ orderId: z.string(), amount: z.number().positive() });
const refund = client.gate(
  'Refund',
  Refund,
  ({ orderId, amount }, { edited }) => `${amount} for ${orderId}, edited: ${edited}`,
);
console.log(await refund({ orderId: 'o-1', amount: 25 }));
gate.stop();

// Prints:
// 20 for o-1, edited: true
