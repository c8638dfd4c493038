/** Compares what a case expects with what was observed, as "General" in the format of the cases says. */
import { isDeepStrictEqual } from 'node:util';
import type { Fields } from '../fields.ts';
import { whole } from '../reading.ts';

/** Every expectation that does not hold, in words; empty: the case passed. An expectation that nothing observed speaks about does not hold. */
export function mismatches(expected: Fields, got: Fields): string[] {
  return Object.entries(expected).flatMap(([key, value]) => {
    const problem = mismatch(key, value, got);
    return problem ? [`${key}: ${problem}`] : [];
  });
}

const PREFIXES: Record<string, (want: unknown, got: unknown) => boolean> = {
  max_: (want, got) => typeof got === 'number' && got <= Number(want),
  not_: (wanted, got) => {
    const want = whole(wanted);
    return Array.isArray(want) ? list(got).every((one) => !want.some(same(one))) : !equal(want, got);
  },
};

const SUFFIXES: Record<string, (want: unknown, got: unknown) => boolean> = {
  _not: (want, got) => !equal(whole(want), got),
  _in: (want, got) => list(whole(want)).some((one) => equal(one, got)),
  _contains: (want, got) => list(want).every((one) => holds(got, one)),
  _excludes: (want, got) => list(want).every((one) => !holds(got, one)),
  _len: (want, got) => (Array.isArray(got) || typeof got === 'string') && got.length === want,
  _count: (want, got) => Array.isArray(got) && got.length === want,
  _min: (want, got) => typeof got === 'number' && got >= Number(want),
  _has: (want, got) => list(want).every((key) => lookup(got, String(key)).found),
};

function mismatch(key: string, want: unknown, got: Fields): string | undefined {
  if (key === 'error') return verdict(isError(want, got['error']), want, got['error']);
  if (key === 'has' || key === 'fields') return verdict(SUFFIXES['_has']?.(want, got) ?? false, want, got);
  const expectation = expectationOf(key, got);
  if (expectation) return verdict(expectation.holds(want, expectation.value), want, expectation.value);
  return 'nothing that was observed answers this expectation';
}

interface Expectation {
  readonly value: unknown;
  readonly holds: (want: unknown, got: unknown) => boolean;
}

/** Finds the field that an expectation looks at, by its own name or by an operator's, and how the two are compared. */
function expectationOf(key: string, got: unknown): Expectation | undefined {
  const direct = lookup(got, key);
  if (direct.found) return { value: direct.value, holds: equal };
  for (const [suffix, holds] of Object.entries(SUFFIXES)) {
    const subject = key.endsWith(suffix) ? lookup(got, key.slice(0, -suffix.length)) : MISSING;
    if (subject.found) return { value: subject.value, holds };
  }
  for (const [prefix, holds] of Object.entries(PREFIXES)) {
    const subject = key.startsWith(prefix) ? lookup(got, key.slice(prefix.length)) : MISSING;
    if (subject.found) return { value: subject.value, holds };
  }
  return undefined;
}

/** Whether the expectation is that there is no such field, and there is none: null is absent, and "not null" is there. */
export const isAbsence = (key: string, want: unknown, got: unknown): boolean =>
  (want === null || want === undefined) && !/_not$|^not_/.test(key) && expectationOf(key, got) === undefined;

const verdict = (ok: boolean, want: unknown, got: unknown): string | undefined =>
  ok ? undefined : `expected ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;

/** `true`: there is one. Fields count in the error and then in its details. A word is the kind of it. */
function isError(want: unknown, got: unknown): boolean {
  if (want === true) return got !== undefined && got !== null && got !== false;
  if (!isObject(want) || !isObject(got))
    return equal(want, isObject(got) && typeof want === 'string' ? kindOf(got) : got);
  const details = lookup(got, 'details').value;
  return Object.entries(want).every(([key, value]) => holdsWithin(key, value, expectationOf(key, got) ? got : details));
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const kindOf = (error: object): unknown => lookup(error, 'code').value ?? lookup(error, 'kind').value;

/** Scalars and lists equal, objects as subsets, null like absent. */
export function equal(want: unknown, got: unknown): boolean {
  if (want === null || want === undefined) return got === null || got === undefined;
  if (Array.isArray(want)) {
    return Array.isArray(got) && got.length === want.length && want.every((one, index) => equal(one, got[index]));
  }
  if (typeof want === 'object') {
    if (typeof got !== 'object' || got === null || Array.isArray(got)) return false;
    return Object.entries(want).every(([key, value]) => holdsWithin(key, value, got));
  }
  return want === got;
}

/** A field of an object, or an operator of one. */
function holdsWithin(key: string, want: unknown, got: unknown): boolean {
  const expectation = expectationOf(key, got);
  if (expectation) return expectation.holds(want, expectation.value);
  return isAbsence(key, want, got) || (isObject(got) && mismatch(key, want, got as Fields) === undefined);
}

const same = (one: unknown) => (other: unknown) => equal(other, one);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const holds = (got: unknown, part: unknown): boolean =>
  typeof got === 'string' ? got.includes(String(part)) : Array.isArray(got) && got.some((one) => equal(part, one));

interface Found {
  readonly found: boolean;
  readonly value?: unknown;
}
const MISSING: Found = { found: false };

/**
 * Writes out `same`: the input's value of that name, also inside of objects and lists.
 *
 * `originals` has the shape of the observations. An element of a list is the same if the input has it.
 */
export function withSame(want: unknown, got: unknown, original: unknown): unknown {
  if (want === 'same') {
    // With nothing to be the same as, the word stays, and equals no observation.
    if (original === undefined) return want;
    if (isDeepStrictEqual(got, original)) return original;
    return Array.isArray(original) && original.some((one) => isDeepStrictEqual(one, got)) ? got : original;
  }
  if (Array.isArray(want)) {
    const found = Array.isArray(got) ? got : [];
    return want.map((one, index) => withSame(one, found[index], one === 'same' ? original : element(original, index)));
  }
  if (!isObject(want)) return want;
  return Object.fromEntries(
    Object.entries(want).map(([key, one]) => [key, withSame(one, lookup(got, key).value, lookup(original, key).value)]),
  );
}

const element = (value: unknown, index: number): unknown => (Array.isArray(value) ? value[index] : undefined);

/** The value at `key`, or along `a.b[0].c`. */
function lookup(root: unknown, key: string): Found {
  if (typeof root === 'object' && root !== null && Object.hasOwn(root, key)) return found(Reflect.get(root, key));
  const parts = key.split(/\.|\[(\d+)\]\.?/).filter((part) => part !== undefined && part !== '');
  if (parts.length < 2) return MISSING;
  let value: unknown = root;
  for (const part of parts) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return MISSING;
    value = Reflect.get(value, part);
  }
  return found(value);
}

const found = (value: unknown): Found => ({ found: true, value });

/** Whether the case looks at a list: at all of it, its length, its parts, or a place in it. Otherwise it counts or adds up. */
export const wantsList = (expected: Fields, key: string): boolean =>
  Array.isArray(expected[key]) ||
  ['_len', '_contains', '_excludes'].some((suffix) => Object.hasOwn(expected, `${key}${suffix}`)) ||
  Object.keys(expected).some((name) => name.startsWith(`${key}[`));
