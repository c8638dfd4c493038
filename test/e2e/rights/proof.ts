/**
 * Plans which test to run without which statement, and reads what came of it.
 *
 * A statement is proved needed when a test that uses it fails without it, a request of it was refused meanwhile, and the
 * same test passes with it within the same time, before and after.
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
  /** About what it takes. */
  readonly seconds: number;
}

export interface Proof {
  readonly statement: string;
  readonly test: string;
  /**
   * `unnoticed`: the test passed without it, though a request was refused; `unused`: and none was, or it asked for nothing
   * of it with every right. `unclear`: it failed, and with every right as well, or no request was refused.
   */
  readonly result: 'needed' | 'unnoticed' | 'unused' | 'unclear';
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
type Uses = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** `granted` are the statements of the stack that was logged. */
export function usesOf(granted: readonly Granted[], logged: readonly Logged[], events: readonly TestEvent[]): Uses {
  const runs = runsOf(events);
  const found = new Map<string, Map<string, number>>();
  for (const line of logged) {
    if (line.session === THIEF || line.decision !== 'Allow') continue;
    // The log counts seconds: a use at the edge of a test may be another one's, if there is another one.
    const within = runs.filter(({ began, ended }) => began <= line.at && line.at + 1 <= ended);
    const during = within.length ? within : runs.filter(({ began, ended }) => began < line.at + 1 && line.at <= ended);
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

/** By name: the seconds that each test takes, in which a statement is used. */
export type Candidates = ReadonlyMap<string, number>;

/** Tests that use a statement. */
export const testsOf = (one: Granted, uses: Uses): Candidates =>
  new Map(rightsOf(one).flatMap((right) => [...(uses.get(keyOf(ofKind(right))) ?? [])]));

/** Tests of a statement that are worth a try. One that asks for nothing of it costs less, and there are more of those. */
const MAX_TRIES = 4;
const MAX_UNUSED = 10;

/** Seconds of a test that is played for the first time, and once more at the end, and for each statement. */
const secondsOf = (test: string, seconds: number, statements: number): number =>
  10 + 2 * seconds + statements * (1.5 * seconds + 6) + (LAST.test(test) ? statements * 1_000 : 0);

/** The next test of each statement that is not proved yet: those tests that prove most in the least time. `isTireless` where tests were named. */
export function planOf(
  granted: readonly Granted[],
  testsFor: (statement: string, one: Granted) => Candidates,
  proofs: readonly Proof[],
  isTireless = false,
): Planned[] {
  const open = new Map<Taken, Candidates>();
  for (const [statement, same] of Map.groupBy(granted, statementText)) {
    const [one] = same;
    const tried = proofs.filter((proof) => proof.statement === statement);
    const unused = tried.filter(({ result }) => result === 'unused').length;
    const isGivenUp = !isTireless && (tried.length - unused >= MAX_TRIES || unused >= MAX_UNUSED);
    if (!one || isGivenUp || tried.some(({ result }) => result === 'needed')) continue;
    const tests = [...testsFor(statement, one)].filter(([name]) => !tried.some(({ test }) => test === name));
    const of = same.map(({ role, policy, place }) => ({ role, policy, place }));
    if (tests.length) open.set({ statement, actions: one.actions, of }, new Map(tests));
  }
  const noticed = noticedBy(proofs);
  const planned: Planned[] = [];
  while (open.size) {
    const offers = offersOf(open).map((offer) => ({
      offer,
      price: offer.seconds / offer.taken.length / noticed(offer.test),
    }));
    const best = offers.toSorted((a, b) => a.price - b.price)[0]?.offer;
    if (!best) break;
    planned.push(best);
    for (const taken of best.taken) open.delete(taken);
  }
  return planned;
}

/** By test: the share of statements without which it was found to fail, and a half where nothing is known. */
function noticedBy(proofs: readonly Proof[]): (test: string) => number {
  const results = Map.groupBy(proofs, ({ test }) => test);
  return (test) => {
    const count = (result: Proof['result']) => (results.get(test) ?? []).filter((one) => one.result === result).length;
    const [needed, unnoticed] = [count('needed'), count('unnoticed')];
    return (needed + 1) / (needed + unnoticed + 2);
  };
}

/** Each test, with all that it may prove. */
function offersOf(open: ReadonlyMap<Taken, Candidates>): Planned[] {
  const pairs = [...open].flatMap(([taken, tests]) => [...tests].map(([test, seconds]) => ({ test, seconds, taken })));
  return [...Map.groupBy(pairs, ({ test }) => test)].map(([test, same]) => ({
    test,
    taken: same.map(({ taken }) => taken),
    seconds: secondsOf(test, same[0]?.seconds ?? 0, same.length),
  }));
}

/** Shares tests out so that all shares take alike long; those of a file stay together. */
export function sharesOf(planned: readonly Planned[], most: number): (readonly Planned[])[] {
  const files = [...Map.groupBy(planned, ({ test }) => test.split(' > ')[0]).values()];
  const total = (tests: readonly Planned[]) => tests.reduce((sum, { seconds }) => sum + seconds, 0);
  const shares = Array.from({ length: most }, (): Planned[] => []);
  for (const tests of files.toSorted((a, b) => total(b) - total(a)))
    shares.toSorted((a, b) => total(a) - total(b))[0]?.push(...tests);
  return shares.filter((share) => share.length > 0);
}

export function proofsIn(file: string): readonly Proof[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Proof);
}

export const noteProof = (file: string, proof: Proof): void => appendFileSync(file, `${JSON.stringify(proof)}\n`);
