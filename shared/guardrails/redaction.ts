/** Finds the secrets of a call, for its events, results and messages. */
import { changedPaths } from '../domain/redaction/changed-paths.ts';
import { BUILT_IN_FINDER } from '../domain/redaction/find.ts';
import { redact as redactJson } from '../domain/redaction/redact.ts';

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
