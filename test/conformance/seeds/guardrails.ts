/**
 * Decides the cases of the guardrails (seed 3) through their public face.
 *
 * One small interpreter per feature.
 */
import { type Fields, isFields } from '../fields.ts';
import { backoff, retry } from './guardrails-attempts.ts';
import { circuit } from './guardrails-circuit.ts';
import { Given } from './guardrails-given.ts';
import { budget, concurrency, ratelimit } from './guardrails-limits.ts';
import { observability, pipeline } from './guardrails-pipeline.ts';
import { resolution } from './guardrails-resolution.ts';
import { counted } from './guardrails-world.ts';
import { type Interpreted, type Interpreter, judge, type SeedCase } from './judge.ts';
import { isAbsence, mismatches } from './matching.ts';

type GuardrailInterpreter = (given: Given, expected: Fields) => Fields | Promise<Fields>;

export const FEATURES: Readonly<Record<string, GuardrailInterpreter>> = {
  backoff,
  retry,
  timeout: retry,
  circuit,
  ratelimit,
  concurrency,
  budget,
  merge: resolution,
  mcp: resolution,
  runtime: resolution,
  observability,
  pipeline,
};

export const interpretGuardrails = (one: SeedCase): Promise<Interpreted> =>
  judge(
    one,
    Object.fromEntries(Object.entries(FEATURES).map(([feature, interpret]) => [feature, readingAll(interpret)])),
    compare,
  );

/** The fields of a case of the guardrails are read one by one: those that are left have a meaning that nobody knows. */
const readingAll =
  (interpret: GuardrailInterpreter): Interpreter =>
  async (given, expected) => {
    const reader = new Given(given);
    const got = await counted(async () => interpret(reader, expected));
    reader.finish();
    return got;
  };

/** On top of the general comparison: ranges, `error: true`, `max_…_ms`, events with their fields, and what no event shows. */
function compare(expected: Fields, got: Fields): string[] {
  const rest: Fields = {};
  const problems: string[] = [];
  for (const [key, want] of Object.entries(expected)) {
    const range = key.endsWith('_range_ms') ? got[`${key.slice(0, -'_range_ms'.length)}_samples_ms`] : undefined;
    if (Array.isArray(range) && Array.isArray(want)) {
      const [low, high] = want.map(Number);
      const outside = range.filter((ms) => !(ms >= Number(low) && ms <= Number(high)));
      if (want.length !== 2 || range.length === 0 || outside.length > 0)
        problems.push(`${key}: got ${JSON.stringify(outside.slice(0, 3))}`);
    } else if (key === 'error' && want === true) {
      if (!isFields(got['error'])) problems.push('error: there was none');
    } else if (key.startsWith('max_') && key.endsWith('_ms') && !Object.hasOwn(got, key)) {
      const value = got[key.slice('max_'.length)];
      if (!(typeof value === 'number' && value <= Number(want))) problems.push(`${key}: got ${JSON.stringify(value)}`);
    } else if (key === 'events_exclude') {
      const shown = got['events_text'];
      const found = [want].flat().filter((secret) => typeof shown !== 'string' || shown.includes(String(secret)));
      if (found.length > 0) problems.push(`${key}: ${found.join(', ')} is there`);
    } else if (key === 'events' && Array.isArray(want) && want.some(isFields)) {
      const events = Array.isArray(got['events']) ? got['events'] : [];
      if (events.length !== want.length) problems.push(`events: ${events.length} instead of ${want.length}`);
      want.forEach((one, index) => {
        problems.push(...mismatches(one, events[index] ?? {}).map((problem) => `events[${index}].${problem}`));
      });
    } else if (isFields(want) && isFields(got[key])) {
      problems.push(...compare(withoutAbsent(want, got[key]), got[key]).map((problem) => `${key}.${problem}`));
    } else rest[key] = want;
  }
  return [...problems, ...mismatches(rest, got)];
}

/** Inside of an object null is the same as absent. */
const withoutAbsent = (want: Fields, got: Fields): Fields =>
  Object.fromEntries(Object.entries(want).filter(([key, value]) => !isAbsence(key, value, got)));
