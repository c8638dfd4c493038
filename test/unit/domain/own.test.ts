/** Checks that a record holds what was listed in it and nothing that every object inherits (G9). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyOf, ownValue, withoutPrototypes } from '../../../shared/domain/own.ts';

const INHERITED = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'then', 'toJSON', ''];

test.each(INHERITED)('%s is found in no record that does not list it', (name) => {
  expect(ownValue({ a: 1 }, name)).toBeUndefined();
  expect(withoutPrototypes({ list: [{ a: { b: 1 } }] }).list[0]?.a[name as 'b']).toBeUndefined();
});

test('what is listed is found, under any name', () => {
  const record = JSON.parse('{"__proto__":1,"toString":2,"a":3}') as Record<string, number>;
  for (const [name, value] of Object.entries(record)) {
    expect(ownValue(record, name)).toBe(value);
    expect(withoutPrototypes(record)[name]).toBe(value);
  }
});

test('for all JSON values: the copy is the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.stringify(withoutPrototypes(value))).toBe(JSON.stringify(value));
    }),
  );
});

test('for all records and names: found if and only if listed', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom(...INHERITED));
  fc.assert(
    fc.property(fc.dictionary(name, fc.integer(), { noNullPrototype: true }), name, (record, key) => {
      expect(ownValue(record, key)).toBe(Object.hasOwn(record, key) ? record[key] : undefined);
      expect(withoutPrototypes(record)[key]).toBe(Object.hasOwn(record, key) ? record[key] : undefined);
    }),
  );
});

test('a copy of a proxy is read once, at any depth, and is no proxy', () => {
  const inner = { command: 'ls' };
  const outer = new Proxy({ list: [new Proxy(inner, {})], self: undefined as unknown }, {});
  outer.self = outer;
  const copy = copyOf(outer) as typeof outer;
  inner.command = 'rm x';
  expect(copy.list).toEqual([{ command: 'ls' }]);
  expect(copy.self).toBe(copy);
});

test('what cannot be copied is left for whoever judges it, and what cannot be read is undefined', () => {
  const run = () => 1;
  expect(copyOf({ run, at: new Proxy({ a: 1 }, {}) })).toEqual({ run, at: { a: 1 } });
  expect(Object.getPrototypeOf(copyOf(new Proxy(new (class A {})(), {})))).not.toBe(Object.prototype);
  expect(Object.hasOwn(copyOf(new Proxy(JSON.parse('{"__proto__":1}') as object, {})) as object, '__proto__')).toBe(
    true,
  );
  const closed = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('closed');
      },
    },
  );
  expect(copyOf(closed)).toBeUndefined();
});
