/**
 * Decides the cases of seed 3 through the public face of the guardrails.
 *
 * One small interpreter per feature.
 */
import { equal, type Fields, mismatches } from './matching.ts';
import type { Interpreted, SeedCase } from './seed-0.ts';
import { isFields, Uninterpretable } from './seed-0-world.ts';
import { backoff, retry } from './seed-3-attempts.ts';
import { Given } from './seed-3-given.ts';
import { budget, circuit, concurrency, ratelimit } from './seed-3-limits.ts';
import { observability, pipeline } from './seed-3-pipeline.ts';
import { resolution } from './seed-3-resolution.ts';

type Interpreter = (given: Given, expected: Fields) => Fields | Promise<Fields>;

export const SEED_3: Readonly<Record<string, Interpreter>> = {
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

/** A case that cannot be interpreted has failed. */
export async function interpretSeed3({ feature, given, expect }: SeedCase): Promise<Interpreted> {
  const interpret = Object.hasOwn(SEED_3, feature) ? SEED_3[feature] : undefined;
  try {
    if (!interpret) throw new Uninterpretable(`feature ${feature}`);
    const reader = new Given(given);
    const got = await interpret(reader, expect);
    reader.finish();
    const problems = compare(expect, got);
    return { passed: problems.length === 0, expected: expect, got: problems.length === 0 ? got : { ...got, problems } };
  } catch (error) {
    return { passed: false, expected: expect, got: { error: String(error) } };
  }
}

/** On top of the general comparison: ranges, `error: true`, `max_…_ms`, events with their fields, and what no event shows. */
function compare(expected: Fields, got: Fields): string[] {
  const rest: Fields = {};
  const problems: string[] = [];
  for (const [key, want] of Object.entries(expected)) {
    const range = key.endsWith('_range_ms') ? got[`${key.slice(0, -'_range_ms'.length)}_samples_ms`] : undefined;
    if (Array.isArray(range) && Array.isArray(want)) {
      const [low, high] = want.map(Number);
      const outside = range.filter((ms) => !(ms >= Number(low) && ms <= Number(high)));
      if (range.length === 0 || outside.length > 0) problems.push(`${key}: got ${JSON.stringify(outside.slice(0, 3))}`);
    } else if (key === 'error' && want === true) {
      if (!isFields(got['error'])) problems.push('error: there was none');
    } else if (key.startsWith('max_') && key.endsWith('_ms') && !equal(want, got[key])) {
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
      problems.push(...compare(want, got[key]).map((problem) => `${key}.${problem}`));
    } else rest[key] = want;
  }
  return [...problems, ...mismatches(rest, got)];
}
