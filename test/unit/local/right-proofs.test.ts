/** Plans which tests are run without which statements. */
import { expect, test } from 'vitest';
import { type Proof, planOf, resultOf, statementText, testsOf, usesOf } from '../../e2e/rights/proof.ts';
import type { Granted } from '../../e2e/rights/record.ts';
import type { Logged } from '../../e2e/rights/used.ts';

const granted = (role: string, more: Partial<Granted> = {}): Granted => ({
  ...{ role, actions: ['dynamodb:GetItem'], resources: ['GateTablesState'], rows: ['rate#*'], attributes: undefined },
  ...{ policy: `${role}Policy`, place: 0, ...more },
});
const seal = granted('GateSealRole');
const line: Logged = {
  ...{ at: 12, role: 'E2e-GateSealRole', session: 'function', action: 'dynamodb:GetItem', decision: 'Allow' },
  ...{ policy: seal.policy, statement: 0, resources: [0], rows: [0] },
};
const ran = (name: string, began: number, ended: number) => [
  { at: began, event: 'began', test: name } as const,
  { at: ended, event: 'ended', test: name } as const,
];
const events = [...ran('long', 5, 40), ...ran('short', 11.5, 13.5), ...ran('edge', 12.4, 20), ...ran('faults', 11, 13)];
const uses = usesOf([seal], [line, { ...line, session: 'stolen' }], events);
const text = statementText(seal);
const tried = (name: string, result: Proof['result']): Proof => ({ statement: text, test: name, result });
const testsFor = (_: string, one: Granted) => testsOf(one, uses);
const next = (...proofs: Proof[]) => planOf([seal], testsFor, proofs).map(({ test: name }) => name);

test('the shortest test that surely uses a statement is first, and tests of faults are last', () => {
  expect(next()).toEqual(['short']);
  expect(next(tried('short', 'unnoticed'))).toEqual(['long']);
  expect(next(tried('short', 'unnoticed'), tried('long', 'unclear'))).toEqual(['faults']);
});

test('a statement that is proved, or was tried three times, or that no test uses is not planned', () => {
  expect(next(tried('short', 'needed'))).toEqual([]);
  expect(next(...['short', 'long', 'faults'].map((name) => tried(name, 'unclear')))).toEqual([]);
  expect(planOf([granted('GateSlackRole')], testsFor, [])).toEqual([]);
});

test('agents are one kind: a proof of one is a proof of all, and rows are nobody’s by name', () => {
  const of = (name: string) => granted(`AgentRole${name}`, { rows: [`result#${name}#*`] });
  expect(statementText(of('one'))).toBe('agents | dynamodb:GetItem | GateTablesState | [result#AGENT#*]');
  expect(statementText(of('two'))).toBe(statementText(of('one')));
  const both = [of('one'), of('two')];
  const used = usesOf(both, [{ ...line, policy: of('two').policy }], events);
  const [planned] = planOf(both, (_, one) => testsOf(one, used), []);
  // A test plays one of them: without the statement of another it would pass.
  expect(planned?.taken.map((taken) => taken.of.map(({ role }) => role))).toEqual([['AgentRoleone', 'AgentRoletwo']]);
});

test('a statement is needed where its test fails for a refusal, and passes with every right', () => {
  expect(resultOf({ isPassed: false, isRefused: true }, true)).toBe('needed');
  expect(resultOf({ isPassed: false, isRefused: true }, false)).toBe('unclear');
  expect(resultOf({ isPassed: false, isRefused: false }, true)).toBe('unclear');
  expect(resultOf({ isPassed: true, isRefused: true }, true)).toBe('unnoticed');
  expect(resultOf({ isPassed: true, isRefused: false }, true)).toBe('unused');
});
