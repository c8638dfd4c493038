/** Keeps secrets out of events, results and messages. */
import { changedPaths } from '../domain/redaction/changed-paths.ts';
import { BUILT_IN_FINDER } from '../domain/redaction/find.ts';
import { markerOf } from '../domain/redaction/marker.ts';
import { redact as redactJson } from '../domain/redaction/redact.ts';

const MAX_DEPTH = 64;
/** Shorter texts would blot out everything. */
const MIN_SECRET = 4;

export interface Redacted {
  /** The value with marks in place of its secrets. */
  readonly value: unknown;
  /** Paths of what was taken out, as in `headers.Authorization`. */
  readonly redactions: readonly string[];
  /** The secrets themselves, to find them again in texts; never to be emitted. */
  readonly secrets: readonly string[];
}

/** Takes out secrets that are known by the name of their field or by their shape, as the gate does of every proposal. */
export function redact(input: unknown): Redacted {
  const { value, secrets, found } = redactJson(input, BUILT_IN_FINDER);
  return { value, redactions: found ? changedPaths(input, value, 'value') : [], secrets: withoutSchemes(secrets) };
}

/** A scheme before the secret (`Bearer x`) does not hide the secret itself. */
const withoutSchemes = (secrets: readonly string[]): string[] => [
  ...new Set(
    secrets.flatMap((text) => [text, ...text.split(/\s+/).slice(1)]).filter(({ length }) => length >= MIN_SECRET),
  ),
];

/** Takes known secrets out of every text in a value: a tool may repeat what it was given. */
export function scrub<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  const mark = markerOf('repeated');
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const visit = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string')
      return longestFirst.reduce((text, secret) => text.replaceAll(secret, () => mark), part);
    if (depth > MAX_DEPTH || part === null || typeof part !== 'object') return part;
    if (Array.isArray(part)) return part.map((item) => visit(item, depth + 1));
    return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, visit(item, depth + 1)]));
  };
  return visit(value, 0) as T;
}
