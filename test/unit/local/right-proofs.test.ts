/** Plans which tests are run without which statements. */
import { expect, test } from 'vitest';
import { type Proof, planOf, sharesOf, statementText, type Taken, testsOf, usesOf } from '../../e2e/rights/proof.ts';
import type { Granted } from '../../e2e/rights/record.ts';
import { type Played, Trial } from '../../e2e/rights/trial.ts';
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

test('a statement that is proved, or was tried in vain too often, or that no test uses is not planned', () => {
  expect(next(tried('short', 'needed'))).toEqual([]);
  expect(next(...['a', 'b', 'c', 'd'].map((name) => tried(name, 'unclear')))).toEqual([]);
  // A test that turns out to ask for nothing of it costs nothing.
  expect(next(...['a', 'b', 'c', 'd'].map((name) => tried(name, 'unused')))).toEqual(['short']);
  expect(planOf([granted('GateSlackRole')], testsFor, [])).toEqual([]);
});

test('one test of many statements is taken before a shorter one of each', () => {
  const roles = ['A', 'B', 'C', 'D'].map((role) => granted(role));
  const plan = planOf(
    roles,
    (_, { role }) =>
      new Map([
        ['all', 3],
        [`of ${role}`, 2],
      ]),
    [],
  );
  expect(plan.map(({ test: name, taken }) => [name, taken.length])).toEqual([['all', 4]]);
});

test('a test that noticed little so far is taken after one that is not much longer', () => {
  const role = granted('GateSlackRole');
  const notes = (name: string, result: Proof['result']) => ({ statement: 'another', test: name, result });
  const plan = (proofs: Proof[]) =>
    planOf(
      [role],
      () =>
        new Map([
          ['lax', 3],
          ['strict', 4],
        ]),
      proofs,
    ).map((one) => one.test);
  expect(plan([])).toEqual(['lax']);
  expect(plan([notes('lax', 'unnoticed'), notes('strict', 'needed')])).toEqual(['strict']);
});

test('workers have alike long shares, and no file is in two of them', () => {
  const planned = (name: string, seconds: number) => ({ test: name, taken: [], seconds });
  const shares = sharesOf([planned('a > 1', 20), planned('b > 1', 25), planned('c > 1', 10), planned('a > 2', 20)], 2);
  expect(shares.map((share) => share.map(({ test: name }) => name))).toEqual([
    ['a > 1', 'a > 2'],
    ['b > 1', 'c > 1'],
  ]);
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

const takenOf = (statement: string): Taken => ({ statement, actions: [], of: [] });
const passed: Played = { isPassed: true, isRefused: false, ms: 2_000 };
const lacking: Played = { isPassed: false, isRefused: true, ms: 7_000 };

/** Plays a test to its end, and tells what was played and found. */
function played(statements: readonly string[], play: (statement: string | undefined, place: number) => Played) {
  const trial = new Trial('a test', statements.map(takenOf));
  const plays: string[] = [];
  const proofs: Proof[] = [];
  for (let next = trial.next(false); next; next = trial.next(false)) {
    const result = play(next.taken?.statement, plays.length);
    plays.push(`${next.taken?.statement ?? 'everything'} in ${next.limitMs}`);
    proofs.push(...trial.ended(next, result, ({ statement }) => statement !== 'unasked'));
  }
  expect(plays.length).toBeLessThan(Trial.maxPlays(statements.length));
  return { plays, found: proofs.map(({ statement, result }) => `${statement}: ${result}`) };
}

test('a statement is needed where its test fails for a refusal, and passes with every right before and after', () => {
  const { plays, found } = played(['s'], (taken) => (taken ? lacking : passed));
  expect(plays).toEqual(['everything in 120000', 's in 7000', 'everything in 7000']);
  expect(found).toEqual(['s: needed']);
});

test('it is not where the test passes without it, fails for another reason, or fails with every right too', () => {
  const without = (one: Partial<Played>) => played(['s'], (taken) => (taken ? { ...lacking, ...one } : passed)).found;
  expect(without({ isPassed: true })).toEqual(['s: unnoticed']);
  expect(without({ isPassed: true, isRefused: false })).toEqual(['s: unused']);
  expect(without({ isRefused: false })).toEqual(['s: unclear']);
  const spoilt = played(['s'], (taken, place) => (taken || place ? lacking : passed));
  expect(spoilt.found).toEqual(['s: unclear']);
});

test('a statement that the test asks nothing of costs no play, and a test that fails at once is given up', () => {
  const { plays, found } = played(['unasked', 's'], (taken) => (taken ? lacking : passed));
  expect(plays).toHaveLength(3);
  expect(found).toEqual(['unasked: unused', 's: needed']);
  const broken = played(['s', 't'], () => ({ ...lacking, isRefused: false }));
  expect(broken).toEqual({ plays: ['everything in 120000'], found: ['s: unclear', 't: unclear'] });
});

test('every few statements the test is played with every right, and its limit follows', () => {
  const statements = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const { plays, found } = played(statements, (taken, place) => (taken ? lacking : { ...passed, ms: 2_000 + place }));
  // The first play starts functions.
  expect(plays.slice(0, 3)).toEqual(['everything in 120000', 'everything in 120000', 'a in 7002']);
  expect(plays.slice(7, 9)).toEqual(['everything in 7002', 'f in 7011']);
  expect(found).toEqual(statements.map((one) => `${one}: needed`));
});

test('what was found is still checked when time is over, and nothing else is begun', () => {
  const trial = new Trial('a test', ['s', 't'].map(takenOf));
  const step = (isLate: boolean, result: Played) => {
    const next = trial.next(isLate);
    return next && trial.ended(next, result, () => true);
  };
  step(false, passed);
  step(false, lacking);
  expect(step(true, passed)).toEqual([{ statement: 's', test: 'a test', result: 'needed' }]);
  expect(step(true, passed)).toBeUndefined();
  expect(new Trial('a test', [takenOf('s')]).next(true)).toBeUndefined();
});
