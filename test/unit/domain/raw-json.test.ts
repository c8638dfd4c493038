/**
 * Checks that a message's text is refused where JSON.parse would silently repair it (D20, G15).
 *
 * The refusal names the position.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readIJson } from '../../../shared/domain/raw-json.ts';
import { anyText, jsonText } from './json-texts.ts';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('what is refused, and where', () => {
  test.each([
    ['{"a":1,"a":1}', 'duplicate_key', 'a'],
    ['{"a":{"b":1,"b":2}}', 'duplicate_key', 'a.b'],
    ['{"a":1,"\\u0061":2}', 'duplicate_key', 'a'],
    ['[{"a":1},{"a":1,"a":2}]', 'duplicate_key', '[1].a'],
    ['{"__proto__":null}', 'forbidden_key', '__proto__'],
    ['{"\\u005f_proto__":1}', 'forbidden_key', '__proto__'],
    ['{"a":{"prototype":{}}}', 'forbidden_key', 'a.prototype'],
    ['{"constructor":{"prototype":1}}', 'forbidden_key', 'constructor'],
    ['{"a":"\\ud800"}', 'lone_surrogate', 'a'],
    ['{"\\udc00":1}', 'lone_surrogate', ''],
    ['["\\udc00\\ud800"]', 'lone_surrogate', '[0]'],
    ['{"n":[1,2,9007199254740992]}', 'unsafe_number', 'n[2]'],
    ['{"n":-1e400}', 'unsafe_number', 'n'],
    [nested(65), 'too_deep', '[0][0][0][0]'],
    ['{', 'invalid_json', ''],
    ['{"a":1}}', 'invalid_json', ''],
    ['{"a":1 /* b */}', 'invalid_json', ''],
    ["{'a':1}", 'invalid_json', ''],
    ['NaN', 'invalid_json', ''],
    ['\ufeff{}', 'invalid_json', ''],
  ])('%s: %s at "%s"', (text, code, field) => {
    const read = readIJson(text);
    expect(read).toMatchObject({ ok: false, fault: { code, field: expect.stringContaining(field) } });
  });

  test('more bytes than allowed, counted as UTF-8', () => {
    expect(readIJson('"üü"', 6)).toMatchObject({ ok: true });
    expect(readIJson('"üüü"', 7)).toMatchObject({ ok: false, fault: { code: 'too_large' } });
  });

  test('a hostile key does not fill the answer, or reach it unprinted', () => {
    const hostile = JSON.stringify(`\u0000\u202e${'k'.repeat(5_000)}`);
    const read = readIJson(`{${hostile}:{"a":1,"a":2}}`);
    if (read.ok) throw new Error('it was read');
    expect(read.fault.message.length).toBeLessThan(400);
    expect(read.fault.message).toMatch(/^[\x20-\x7e]*$/);
  });
});

test.each([
  ['64 levels', nested(64)],
  ['a scalar named constructor', '{"constructor":"x","prototype":1}'],
  ['the largest safe numbers', '[9007199254740991,-9007199254740991,1e15,0.1,-0]'],
  ['a surrogate pair', '{"a":"\\ud83d\\ude00"}'],
  ['the same key at two levels', '{"a":{"a":{"a":1}}}'],
  ['the same key in two objects of a list', '[{"a":1},{"a":2}]'],
])('%s are read as JSON.parse reads them', (_, text) => {
  expect(readIJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
});

test('for all texts: it never throws, and what it reads is what JSON.parse reads', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const read = readIJson(text);
      if (read.ok) expect(read.value).toEqual(JSON.parse(text));
      else expect(read.fault.code).toMatch(/^[a-z_]+$/);
    }),
    { numRuns: 3_000 },
  );
});

test('for all JSON texts: what is accepted holds no key twice, no __proto__, no half pair, no unsafe number', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const read = readIJson(text);
      if (!read.ok) return;
      expect(keysIn(text)).toBe(keysOf(read.value));
      expect(JSON.stringify(read.value)).not.toContain('"__proto__":');
      expect(sound(read.value)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

/** Colons outside strings: one for each key of the text. */
const keysIn = (text: string): number => text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;

function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, child) => sum + keysOf(child), own);
}

function sound(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, child]) => key.isWellFormed() && sound(child));
}
