/** Tests what a policy file says of how calls are called, and of who is told. */
import { expect, it } from 'vitest';
import { loadPolicy } from '../../../shared/config/load.ts';
import { lineOf, listLineOf } from '../../../shared/ports/stores/outbox.ts';

const PEOPLE = `people:
  olga: { team: T0DEMO, user: U0OLGA, name: Olga, notify: dm }
`;
const BASE = `${PEOPLE}agents: { coder: { owner: olga } }
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

it.each([
  ['bash: { permissions: [Read] }', 'tools.bash: bash differs only in case from Bash'],
  ['webfetch: { permissions: [Network] }', 'tools.webfetch: webfetch differs only in case from WebFetch'],
  ['Refund: { permissions: [Sensitive] }, refund: { permissions: [Read] }', 'refund differs only in case from Refund'],
  ['toString: { permissions: [Read] }', 'tools.toString: toString is no name that a call may have'],
])('D15: a tool whose every call would be an error is refused: %s', (tools, problem) =>
  expect(() => loadPolicy(`${BASE}tools: { ${tools} }\n`, 'p.yaml')).toThrow(problem),
);

it('the cards of an agent with the longest name have groups that a queue takes, and no two agents share one', () => {
  const agents = ['a', 'b'].map((last) => `${'a'.repeat(127)}${last}`);
  expect(
    Object.keys(loadPolicy(`${PEOPLE}agents: { ${agents[0]}: { owner: olga } }\n`, 'p.yaml').policy.agents),
  ).toEqual([agents[0]]);
  const groups = agents.flatMap((agent) => [
    lineOf('C0123456789', { agent, only: 'post' }),
    lineOf('C0123456789', { agent, only: 'update' }),
    listLineOf('C0123456789', agent),
  ]);
  expect(new Set(groups).size).toBe(6);
  for (const group of groups) expect(group).toMatch(/^[\w#.:-]{1,128}$/);
  // Rows and messages of earlier releases name these.
  expect(lineOf('C0123456789', { agent: 'a'.repeat(109), only: 'update' })).toBe(
    `C0123456789#${'a'.repeat(109)}#update`,
  );
});
