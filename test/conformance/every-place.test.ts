/** Checks that a case fails by a key that nobody reads, at every place but the product's own data. */
import { describe, expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import type { Fields } from './fields.ts';
import { interpretCase } from './interpret.ts';
import { DATA_AREAS } from './security/decide.ts';

interface AnyCase {
  readonly id: string;
  readonly seed?: number;
  readonly feature?: string;
  readonly area?: string;
  readonly given: Fields;
  readonly expect?: unknown;
}

/** The product gets these places as they are: an unknown key there is the product's to judge. */
const DATA: readonly RegExp[] = [
  /\bgiven\.(input|args|facts|entity_states|headers|original|modified_args)\b/,
  /\bgiven\.(actions|checks|two_concurrent_checks_with_modified_args)\[\]/,
  /\bgiven\.channel_result\.Substitute\b/,
  /\bgiven\.(ops\[\]\.(record|check)\[\]|cache\[\](\.|$)|fs\.symlinks)/,
  /\bgiven\.(custom\.ModifiedArgs|webhook|websocket|degrade\.fallback|update)\b/,
  /\bgiven\.(message|pending|pending_confirmation|message_history\[\]|decision|tool_call|intent|tool_result)\b/,
  /^2 .*given\.classifier\b/,
  /\bgiven\.(body|env|operandHashes|classifier\.returns|scenario\.click\.substitute)\b/,
];
const isData = (place: string): boolean => DATA.some((pattern) => pattern.test(place));

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Every object within a value, by its path. */
function placesIn(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (!isObject(value)) return [];
  const inside = Object.entries(value).flatMap(([key, one]) => placesIn(one, [...path, key]));
  return Array.isArray(value) ? inside : [path, ...inside];
}

const shapeOf = (one: AnyCase, path: readonly string[]): string =>
  `${one.seed ?? one.area} ${one.feature ?? ''} ${path.join('.').replaceAll(/\.\d+(?=\.|$)/g, '[]')}`;

/** One case for each shape of a place, the shortest first. */
function firstOfEach(cases: readonly AnyCase[]): [string, AnyCase, readonly string[]][] {
  const found = new Map<string, [string, AnyCase, readonly string[]]>();
  for (const one of cases)
    for (const root of ['given', 'expect'] as const)
      for (const path of placesIn(one[root], [root])) {
        const shape = shapeOf(one, path);
        if (!isData(shape) && !found.has(shape)) found.set(shape, [shape, one, path]);
      }
  return [...found.values()];
}

const seeds = firstOfEach(withOwn<AnyCase>('seeds.jsonl').filter(({ seed }) => seed !== undefined));
const security = firstOfEach(
  withOwn<AnyCase>('security.jsonl').filter(({ id, area = '' }) => DATA_AREAS.includes(area) && id !== 'I-010'),
);

describe.each([
  ['seeds', seeds],
  ['security', security],
] as const)('%s', (_, places) => {
  test('a case fails with one more key at any place of its shape', async () => {
    expect(places.length).toBeGreaterThan(10);
    const passed: string[] = [];
    for (const [shape, one, path] of places) {
      const copy = structuredClone(one);
      const at = path.reduce<unknown>((value, key) => (isObject(value) ? Reflect.get(value, key) : undefined), copy);
      Object.assign(at as Fields, { moon: 'full' });
      if ((await interpretCase(copy)).passed) passed.push(`${shape} (${one.id})`);
    }
    expect(passed).toEqual([]);
  });
});
