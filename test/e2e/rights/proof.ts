/**
 * Plans which test to run without which statement, and reads what came of it.
 *
 * A statement is proved needed when a test that uses it fails without it, a request of it was refused meanwhile, and the
 * same test passes with it right after.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { type Granted, keyOf, kindOf, ofKind, rightsOf, rowsOfKind } from './record.ts';
import { type Logged, type TestEvent, THIEF, usedBy } from './used.ts';

/** One statement that a test is run without. */
export interface Taken {
  /** As the table has it. */
  readonly statement: string;
  readonly actions: readonly string[];
  /** Every role of its kind: a test plays one agent of many. */
  readonly of: readonly { readonly role: string; readonly policy: string; readonly place: number }[];
}

export interface Planned {
  readonly test: string;
  readonly taken: readonly Taken[];
}

export interface Proof {
  readonly statement: string;
  readonly test: string;
  /**
   * `unnoticed`: the test passed without it, though a request was refused; `unused`: and none was. `unclear`: it failed, and
   * with every right as well, or no request was refused.
   */
  readonly result: 'needed' | 'unnoticed' | 'unused' | 'unclear';
}

/** `isWell`: whether the same test passes with every right. */
export function resultOf(
  without: { readonly isPassed: boolean; readonly isRefused: boolean },
  isWell: boolean,
): Proof['result'] {
  if (without.isPassed) return without.isRefused ? 'unnoticed' : 'unused';
  return without.isRefused && isWell ? 'needed' : 'unclear';
}

/** One name for a statement of a kind of roles, in all texts. */
export function statementText({ role, actions, resources, rows, attributes }: Granted): string {
  const kind = kindOf(role);
  const patterns = rows.map((one) => rowsOfKind(kind, one));
  return [
    kind,
    actions.toSorted().join(', '),
    resources.toSorted().join(', '),
    ...(patterns.join('') ? [`[${patterns.join(' ')}]`] : []),
    ...(attributes ? [`{${attributes.join(' ')}}`] : []),
  ].join(' | ');
}

/** Statements of which AWS's services use every right in the role's name: no local endpoint asks for them. */
export const isOfAwsAlone = (granted: Granted): boolean => rightsOf(granted).every(({ isOfAws }) => isOfAws);

interface Ran {
  readonly test: string;
  readonly began: number;
  readonly ended: number;
}

function runsOf(events: readonly TestEvent[]): Ran[] {
  const began = new Map<string, number>();
  return events.flatMap(({ at, event, test }) => {
    const from = began.get(test);
    if (event === 'began') began.set(test, at);
    return event === 'ended' && from !== undefined ? [{ test, began: from, ended: at }] : [];
  });
}

/** By the key of a right, as its kind of roles has it: how long each test took that ran while it was used. */
export type Uses = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** `granted` are the statements of the stack that was logged. */
export function usesOf(granted: readonly Granted[], logged: readonly Logged[], events: readonly TestEvent[]): Uses {
  const runs = runsOf(events);
  const found = new Map<string, Map<string, number>>();
  for (const line of logged) {
    if (line.session === THIEF || line.decision !== 'Allow') continue;
    // The log counts seconds: a use at the edge of a test may be another one's.
    const during = runs.filter(({ began, ended }) => began <= line.at && line.at + 1 <= ended);
    for (const right of usedBy(line, granted)) {
      const key = keyOf(ofKind(right));
      const tests = found.get(key) ?? new Map<string, number>();
      found.set(key, tests);
      for (const { test, began, ended } of during) tests.set(test, ended - began);
    }
  }
  return found;
}

/** Tests of thefts miss no right, tests of faults make their own, and those of frameworks begin with installing: they are last. */
const LAST = /^(adapters|stolen|faults|outages|crash|token|previous-release|signatures)/;

/** Tests that use a statement, the shortest first. */
export function testsOf(one: Granted, uses: Uses): string[] {
  const tests = new Map(rightsOf(one).flatMap((right) => [...(uses.get(keyOf(ofKind(right))) ?? [])]));
  const cost = ([test, seconds]: readonly [string, number]) => seconds + (LAST.test(test) ? 1_000 : 0);
  return [...tests].toSorted((a, b) => cost(a) - cost(b)).map(([test]) => test);
}

/** Tests of a statement that are worth a try. */
const MAX_TRIES = 3;

/** The next test of each statement that is not proved yet, grouped by test. */
export function planOf(
  granted: readonly Granted[],
  testsFor: (statement: string, one: Granted) => readonly string[],
  proofs: readonly Proof[],
): Planned[] {
  const byTest = new Map<string, Taken[]>();
  for (const [statement, same] of Map.groupBy(granted, statementText)) {
    const [one] = same;
    const tried = proofs.filter((proof) => proof.statement === statement);
    if (!one || tried.length >= MAX_TRIES || tried.some(({ result }) => result === 'needed')) continue;
    const test = testsFor(statement, one).find((name) => !tried.some((proof) => proof.test === name));
    if (test === undefined) continue;
    const of = same.map(({ role, policy, place }) => ({ role, policy, place }));
    byTest.set(test, [...(byTest.get(test) ?? []), { statement, actions: one.actions, of }]);
  }
  return [...byTest].map(([test, taken]) => ({ test, taken }));
}

export function proofsIn(file: string): readonly Proof[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Proof);
}

export const noteProof = (file: string, proof: Proof): void => appendFileSync(file, `${JSON.stringify(proof)}\n`);
