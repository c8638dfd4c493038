/**
 * Checks that digests refuse values whose JSON form leaves something out.
 *
 * One digest would stand for many actions.
 */
import { describe, expect, test } from 'vitest';
import { actionDigest } from '../../../shared/domain/digest.ts';
import { SessionApprovalCache } from '../../../shared/permissions/index.ts';
import { argsDigest } from '../../../shared/permissions/service/grants.ts';

class Order {
  readonly id = 1;
}

describe.each<[string, unknown]>([
  ['a Map', new Map([['mallory', 9]])],
  ['a Set', new Set([1])],
  ['a RegExp', /x/],
  ['an Error', new Error('x')],
  ['a Date', new Date(0)],
  ['bytes', new Uint8Array(2)],
  ['an object of a class', new Order()],
  ['a function', () => 1],
])('%s', (_, value) => {
  test.each([
    ['itself', value],
    ['in a field', { to: value }],
    ['in an array', { to: [value] }],
  ])('%s has no digest', (_name, input) => {
    expect(() => actionDigest({ toolName: 'Pay', input })).toThrow(expect.objectContaining({ name: 'NotJsonError' }));
    expect(() => argsDigest(input)).toThrow(expect.objectContaining({ name: 'NotJsonError' }));
  });
});

test('a value that shows a function once has no digest', () => {
  let reads = 0;
  const input = {
    get to() {
      reads += 1;
      return reads > 1 ? 'alice' : () => 1;
    },
  };
  expect(() => argsDigest(input)).toThrow(expect.objectContaining({ name: 'NotJsonError' }));
});

test('objects without a prototype and of another realm are plain', () => {
  expect(argsDigest(Object.assign(Object.create(null), { a: 1 }))).toBe(argsDigest({ a: 1 }));
});

test('an approval of "exactly these arguments" covers no other Map', () => {
  const cache = new SessionApprovalCache();
  expect(() => cache.record('Pay', { to: new Map([['a', 1]]) }, 'Session')).toThrow('to: ');
  expect(() => cache.check('Pay', { to: new Map([['b', 1]]) })).toThrow('to: ');
});
