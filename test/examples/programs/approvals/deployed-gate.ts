/** Has the deployed gate answer for an agent's tools: its rules first, then people. */
import { CountersignClient } from 'countersign';
import { AgentBuilder, gateAsker, type ModelTurn, tool } from 'countersign/approvals';
import { createTestGate } from 'countersign/testing';
import * as z from 'zod';

const policy = `
people: { olga: { team: T1, user: U1, name: Olga }, alice: { team: T1, user: U2, name: Alice } }
agents: { billing: { owner: olga } }
channels: { approvals: { team: T1, id: C1 } }
approvers: { finance: { members: [alice], channel: approvals } }
approvals: { approvers: finance }
rules: { ask: [Refund], deny: [Close] }
`;
const gate = createTestGate({ policy, approver: () => ({ choice: 'approve' }) });
const client = new CountersignClient(gate.clientOptions('billing'));

const input = z.object({ orderId: z.string() });
const refund = tool({
  name: 'Refund',
  description: 'Pays an order back.',
  input,
  execute: ({ orderId }) => `paid ${orderId}`,
});
const close = tool({ name: 'Close', description: 'Closes an account.', input, execute: () => 'closed' });
const turns: ModelTurn[] = [
  { toolUses: ['Refund', 'Close'].map((name, index) => ({ id: `${index}`, name, input: { orderId: 'o-1' } })) },
  { text: 'done' },
];
const agent = new AgentBuilder({ next: async () => turns.shift() ?? {} })
  .tool(refund, close)
  .ask(gateAsker(client))
  .build();
for (const message of (await agent.run('pay o-1 back')).messages)
  if (message.role === 'tool') for (const { content } of message.results) console.log(content);
gate.stop();

// Prints:
// paid o-1
// Error: approval denied — Denied by the rule Close (project).
