/** Compares what a case expects with what was observed, as "General" in the format of the cases says. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
export type Fields = Record<string, unknown>;

/** Every expectation that does not hold, in words; empty: the case passed. An expectation that nothing observed speaks about does not hold. */
export function mismatches(expected: Fields, got: Fields): string[] {
  return Object.entries(expected).flatMap(([key, value]) => {
    const problem = mismatch(key, value, got);
    return problem ? [`${key}: ${problem}`] : [];
  });
}

const PREFIXES: Record<string, (want: unknown, got: unknown) => boolean> = {
  not_: (want, got) => (Array.isArray(want) ? list(got).every((one) => !want.some(same(one))) : !equal(want, got)),
};

const SUFFIXES: Record<string, (want: unknown, got: unknown) => boolean> = {
  _not: (want, got) => !equal(want, got),
  _in: (want, got) => list(want).some((one) => equal(one, got)),
  _contains: (want, got) => list(want).every((one) => holds(got, one)),
  _excludes: (want, got) => list(want).every((one) => !holds(got, one)),
  _len: (want, got) => (Array.isArray(got) || typeof got === 'string') && got.length === want,
  _min: (want, got) => typeof got === 'number' && got >= Number(want),
  _has: (want, got) => list(want).every((key) => lookup(got, String(key)).found),
};

function mismatch(key: string, want: unknown, got: Fields): string | undefined {
  if (key === 'has' || key === 'fields') return verdict(SUFFIXES['_has']?.(want, got) ?? false, want, got);
  const direct = lookup(got, key);
  if (direct.found) return verdict(equal(want, direct.value), want, direct.value);
  for (const [suffix, holdsFor] of Object.entries(SUFFIXES)) {
    const subject = key.endsWith(suffix) ? lookup(got, key.slice(0, -suffix.length)) : MISSING;
    if (subject.found) return verdict(holdsFor(want, subject.value), want, subject.value);
  }
  for (const [prefix, holdsFor] of Object.entries(PREFIXES)) {
    const subject = key.startsWith(prefix) ? lookup(got, key.slice(prefix.length)) : MISSING;
    if (subject.found) return verdict(holdsFor(want, subject.value), want, subject.value);
  }
  return 'nothing that was observed answers this expectation';
}

const verdict = (ok: boolean, want: unknown, got: unknown): string | undefined =>
  ok ? undefined : `expected ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;

/** Scalars and lists equal, objects as subsets, null like absent. */
export function equal(want: unknown, got: unknown): boolean {
  if (want === null || want === undefined) return got === null || got === undefined;
  if (Array.isArray(want)) {
    return Array.isArray(got) && got.length === want.length && want.every((one, index) => equal(one, got[index]));
  }
  if (typeof want === 'object') {
    if (typeof got !== 'object' || got === null || Array.isArray(got)) return false;
    return Object.entries(want).every(([key, value]) => equal(value, lookup(got, key).value));
  }
  return want === got;
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

/** The value at `key`, or along `a.b[0].c`. */
export function lookup(root: unknown, key: string): Found {
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
