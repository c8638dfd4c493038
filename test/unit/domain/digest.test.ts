/** Checks keys and digests: no two different things share one (D20, D21, D24, A1). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  actionDigest,
  auditDigest,
  canonicalJson,
  lengthDelimited,
  pidOf,
  sha256Hex,
} from '../../../shared/domain/digest.ts';

describe('canonical JSON (RFC 8785)', () => {
  test('sorts keys by UTF-16 code units and writes numbers as ECMAScript does', () => {
    expect(canonicalJson({ b: 1, a: [1e21, 1e-7, -0], '\u20ac': 1, '\ud83d\ude00': 2, ﬀ: 3 })).toBe(
      '{"a":[1e+21,1e-7,0],"b":1,"€":1,"😀":2,"ﬀ":3}',
    );
  });

  test('refuses what JSON cannot hold', () => {
    expect(() => canonicalJson(undefined)).toThrow(TypeError);
    expect(() => canonicalJson({ n: Number.NaN })).toThrow();
  });

  test('for all values: the order of keys does not matter, and reading it back gives the value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      }),
    );
  });
});

describe('length-delimited fields', () => {
  test('for all pairs of lists: equal texts mean equal lists', () => {
    const fields = fc.array(fc.oneof(fc.string(), fc.constantFrom('1:a', '2:', ':', '0:', '')), { maxLength: 4 });
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        expect(lengthDelimited(a) === lengthDelimited(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 2_000 },
    );
  });

  test('no boundary can be moved: agent and id are told apart', () => {
    expect(pidOf('d', 'agent', 'x')).not.toBe(pidOf('d', 'agen', 'tx'));
    expect(pidOf('d', 'a', 'x')).not.toBe(pidOf('da', '', 'x'));
    expect(pidOf('d', 'a', 'x')).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('the digest of an action', () => {
  const action = { toolName: 'Bash', input: { command: 'ls' } };

  test.each([
    [{ ...action, toolName: 'bash' }],
    [{ ...action, input: { command: 'ls ' } }],
    [{ ...action, input: { command: 'ls', more: null } }],
    [{ ...action, cwd: '/' }],
  ])('changes with anything that would run otherwise: %j', (other) => {
    expect(actionDigest(other)).not.toBe(actionDigest(action));
  });

  test('is stored under a key only, so that a guessed input cannot be confirmed', () => {
    const digest = actionDigest(action);
    expect(auditDigest(digest, 'one')).not.toBe(auditDigest(digest, 'two'));
    expect(auditDigest(digest, 'one')).not.toBe(sha256Hex(digest));
  });
});
