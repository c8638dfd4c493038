/**
 * Checks G1–G5 and G13 over generated policies, calls, modes and session facts.
 *
 * Compares the gate with the reference evaluator (D).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SessionFacts } from '../../../../shared/permissions/model/types.ts';
import { evaluateCall } from '../../../../shared/permissions/stages/evaluate.ts';
import { callOf, decidedOf, type Rule } from '../support.ts';
import { call, facts, rule, runs, setting, type TestCall, type TestRule } from './arbitraries.ts';
import { reference, type Setting } from './reference.ts';

/** Deny and error both refuse: a rule that denies before something fails weakens nothing. */
const RANK = { allow: 0, ask: 1, deny: 2, error: 2 } as const;
const written = (rules: readonly TestRule[]): Rule[] =>
  rules.map(({ effect, pattern, source }) => [effect, pattern, source] as const);

function judged(one: TestCall, rules: readonly TestRule[], set: Setting, known: SessionFacts) {
  return decidedOf(evaluateCall(callOf(one.toolName, one.input, written(rules), set), known));
}

const policy = fc.array(rule, { maxLength: 6 });

describe('rules', () => {
  test('agree with the plain reference evaluator', () => {
    fc.assert(
      fc.property(call, policy, setting, facts, (one, rules, set, known) => {
        expect(judged(one, rules, set, known).verdict).toBe(reference(one, rules, set, known));
      }),
      { numRuns: runs(5000) },
    );
  });

  test('G2: adding a deny or ask never weakens, removing an allow never does', () => {
    fc.assert(
      fc.property(call, policy, rule, setting, facts, (one, rules, more, set, known) => {
        // In auto mode the classifier is asked only where no rule matched: an ask rule hands a call that it blocks to a person.
        fc.pre(set.mode !== 'auto');
        const before = RANK[judged(one, rules, set, known).verdict];
        const after = RANK[judged(one, [...rules, more], set, known).verdict];
        if (more.effect === 'allow') expect(after).toBeLessThanOrEqual(before);
        else expect(after).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('G3, G13: neither order nor repetition changes the verdict, and the same question gets the same explanation', () => {
    fc.assert(
      fc.property(call, policy, setting, facts, (one, rules, set, known) => {
        const verdict = judged(one, rules, set, known).verdict;
        expect(judged(one, rules.toReversed(), set, known).verdict).toBe(verdict);
        const context = callOf(one.toolName, one.input, written(rules), set);
        expect(evaluateCall(context, known)).toEqual(evaluateCall(context, known));
      }),
      { numRuns: runs(1500) },
    );
  });

  test('G4, G5: bypass lifts no rule, an explicit ask is answered by nothing', () => {
    fc.assert(
      fc.property(call, policy, facts, (one, rules, known) => {
        const set: Setting = {
          mode: 'default',
          bypass: { enabled: true, honoursRules: true },
          managedRulesOnly: false,
          workspaceTrusted: true,
          unattended: false,
        };
        const plain = judged(one, rules, set, { now: 0 });
        for (const mode of ['bypass', 'auto', 'bubble', 'acceptEdits', 'default']) {
          const other = judged(one, rules, { ...set, mode }, known);
          if (plain.rule?.effect === 'deny') expect(other.verdict).toBe('deny');
          if (plain.rule?.effect === 'ask') expect(RANK[other.verdict]).toBeGreaterThanOrEqual(RANK.ask);
        }
        expect(judged(one, rules, { ...set, mode: 'dontAsk' }, known).verdict).not.toBe('ask');
      }),
      { numRuns: runs(1500) },
    );
  });

  test('G9: unknown modes, tools and inputs, and what throws within, never allow', () => {
    fc.assert(
      fc.property(fc.string(), fc.anything(), fc.string(), policy, (tool, input, mode, rules) => {
        const base = callOf('Read', {}, written([...rules, { effect: 'allow', pattern: 'Read', source: 'user' }]));
        const odd = evaluateCall({ ...base, toolName: tool, input, mode: `x${mode}` }, { now: 0 });
        expect(decidedOf(odd).verdict).toBe('error');
        const throwing = new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('hostile');
            },
          },
        );
        expect(decidedOf(evaluateCall({ ...base, input: throwing }, { now: 0 })).verdict).toBe('error');
      }),
      { numRuns: runs(500) },
    );
  });
});
