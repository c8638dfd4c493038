/** Tests what a policy file says of how calls are called, and of who is told. */
import { expect, it } from 'vitest';
import { loadPolicy } from '../../../shared/config/load.ts';

const BASE = `
people:
  olga: { team: T0DEMO, user: U0OLGA, name: Olga, notify: dm }
agents: { coder: { owner: olga } }
approvals: { rejectReasons: [Not now, Ask me first] }
`;
const tool = (fields: string) =>
  loadPolicy(`${BASE}tools:\n  Refund: { permissions: [Sensitive], ${fields} }\n`, 'p.yaml');

it('a title names fields of the input', () => {
  const { policy } = tool("title: 'Refund {amount} for {order.id}'");
  expect(policy.tools['Refund']?.title).toBe('Refund {amount} for {order.id}');
  expect(policy.people['olga']?.notify).toBe('dm');
  expect(policy.approvals.rejectReasons).toEqual(['Not now', 'Ask me first']);
});

it.each([
  ["title: 'Refund {}'", 'braces that name no field'],
  ["title: 'Refund {amount'", 'braces that name no field'],
  ["title: 'Refund {a b}'", 'braces that name no field'],
  ["title: '{x}', argsSchema: { type: object, properties: { amount: {} }, additionalProperties: false }", '{x}'],
])('%s is refused', (fields, problem) => expect(() => tool(fields)).toThrow(problem));

it('settings of display leave the version of other files as it was', () => {
  const plain = loadPolicy('people: {}\nagents: {}\n', 'p.yaml');
  expect(JSON.stringify(plain.policy)).not.toMatch(/notify|rejectReasons|"title"/);
});
