/** Keeps secrets out of events, results and messages. */
import type { MaybePromise } from '../domain/maybe-promise.ts';
import { type Finder, redact as redactJson } from '../domain/redaction/redact.ts';
import { mayHoldSecret } from '../domain/redaction/screen.ts';
import { markerOf } from '../domain/redaction/text/marker.ts';
import type { Redacted } from './redaction.ts';

const SCREEN: Finder = {
  names: new Set(),
  find: (text) => (mayHoldSecret(text) ? [{ start: 0, end: text.length, kind: 'suspected' }] : []),
};

/** Finds the secrets of a call. */
export type SecretsIn = (input: unknown) => MaybePromise<Omit<Redacted, 'value'>>;

/** As `redact`, without the value. The finders are loaded with the first call that may hold a secret. */
export async function secretsIn(input: unknown): Promise<Omit<Redacted, 'value'>> {
  if (!redactJson(input, SCREEN).found) return { redactions: [], secrets: [] };
  const { redact } = await import('./redaction.ts');
  return redact(input);
}

const MAX_DEPTH = 64;

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
