/** Checks which calls the build marks as pure: those that make a constant, and no others. */
import { describe, expect, test } from 'vitest';
import { withPureValues } from '../../../cdk/package/pure-values.ts';

describe('calls that make a constant are marked', () => {
  test.each([
    ['a plain one', "const a = make('x');", "const a = /* @__PURE__ */ make('x');"],
    ['an exported one', 'export const a = make();', 'export const a = /* @__PURE__ */ make();'],
    ['a new object', 'const a = new Thing<string>();', 'const a = /* @__PURE__ */ new Thing<string>();'],
    ['a chain, once', 'const a = z.string().max(3);', 'const a = /* @__PURE__ */ z.string().max(3);'],
    ['an argument too', 'const a = f(g());', 'const a = /* @__PURE__ */ f(/* @__PURE__ */ g());'],
    ['within an object', 'const a = { b: f() };', 'const a = { b: /* @__PURE__ */ f() };'],
  ])('%s', (_, source, marked) => {
    expect(withPureValues('a.ts', source)).toBe(marked);
  });
});

describe('whatever runs for its effect, or later, stays as it is', () => {
  test.each([
    ['a statement', 'register(a);'],
    ['the body of a function', 'const a = () => f();'],
    ['a method', 'const a = { b() { f(); } };'],
    ['a field of a class', 'const A = class { b = f(); };'],
    ['a class', 'export class A { static b = f(); }'],
  ])('%s', (_, source) => {
    expect(withPureValues('a.ts', source)).toBe(source);
  });
});
