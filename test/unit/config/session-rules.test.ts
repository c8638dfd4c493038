/** Checks that the rules of a session are compiled once for all calls that they judge. */
import { expect, test } from 'vitest';
import { compilePolicy, compileSessionRules, readTightening } from '../../../shared/config/compile.ts';
import type { SessionRule } from '../../../shared/contract/index.ts';
import { policyOf } from '../use-cases/world.ts';

const policy = compilePolicy(policyOf());
const rule = (pattern: string): SessionRule =>
  ({ effect: 'deny', pattern, source: 'session', reason: 'r', by: 'oncall' }) as SessionRule;
const rules = [rule('Bash(make:*)')];
const added = [{ effect: 'ask', pattern: 'Bash(ls:*)', source: 'session' }] as const;

test('the same rules of a session, and none or the same of the message, are compiled once', () => {
  expect(compileSessionRules(rules, [], policy)).toBe(compileSessionRules(rules, [], policy));
  expect(compileSessionRules(rules, added, policy)).toBe(compileSessionRules(rules, added, policy));
});

test('other rules of the message, other rules of the session and other tools are compiled for themselves', () => {
  const alone = compileSessionRules(rules, [], policy);
  expect(compileSessionRules(rules, added, policy)?.rules).toHaveLength(2);
  expect(compileSessionRules(rules, [...added], policy)).not.toBe(compileSessionRules(rules, added, policy));
  expect(compileSessionRules(rules, [], policy)?.rules).toHaveLength(1);
  expect(compileSessionRules([...rules], [], policy)).not.toBe(alone);
  expect(compileSessionRules(rules, [], compilePolicy(policyOf()))).not.toBe(alone);
  expect(compileSessionRules([], [], policy)).toBeUndefined();
});

test('a message that brings no rules, or allows alone, tightens nothing', () => {
  expect(readTightening([])).toEqual({ ok: true, rules: [] });
  expect(readTightening([{ effect: 'allow', pattern: 'Bash(:' }])).toEqual({ ok: true, rules: [] });
  expect(readTightening([{ effect: 'deny', pattern: 'Bash(:' }]).ok).toBe(false);
});
