/** Checks that a rule decides about a command that needs none, in every mode that asks the rules. */
import { describe, expect, test } from 'vitest';
import { compileRules } from '../../../../shared/permissions/rules/compile.ts';
import { evaluateCall } from '../../../../shared/permissions/stages/evaluate.ts';
import { callOf, decidedOf, judge, type Rule, tools } from '../support.ts';

const MODES = ['default', 'acceptEdits', 'dontAsk', 'auto', 'bubble'] as const;

const decided = (command: string, rules: readonly Rule[], mode: string) => {
  const { verdict, reason, rule } = judge('Bash', { command }, rules, { mode });
  return { verdict, reason, rule: rule?.pattern };
};

describe.each(MODES)('in %s', (mode) => {
  test.each([
    ['pwd', 'Bash(pwd:*)'],
    ['pwd', 'Bash(pwd)'],
    ['true', 'Bash'],
    ['cd src', 'Bash(cd:*)'],
    ['cd src && pwd', 'Bash'],
    ['test -f a', 'Bash(test:*)'],
    ['[ -f a ]', 'Bash([:*)'],
  ])('%s is allowed by the rule %s that covers it (R4-025, R4-035)', (command, rule) => {
    const expected = { verdict: 'allow', reason: 'rule_match', rule };
    expect(decided(command, [['allow', rule]], mode)).toEqual(expected);
  });

  test('a rule for another command does not allow it', () => {
    expect(decided('pwd', [['allow', 'Bash(npm:*)']], mode).reason).not.toBe('rule_match');
  });

  test('one beside a covered command needs no rule of its own', () => {
    const expected = { verdict: 'allow', reason: 'rule_match', rule: 'Bash(npm test:*)' };
    expect(decided('cd src && npm test', [['allow', 'Bash(npm test:*)']], mode)).toEqual(expected);
  });
});

test('the preset read-only allows it in a session that asks nobody (D43)', () => {
  const preset = { effect: 'allow', pattern: 'preset(read-only)', source: 'default' } as const;
  const { policy } = compileRules([{ ...preset, matcher: { kind: 'preset', name: 'read-only' } }], { tools });
  const call = callOf('Bash', { command: 'pwd' }, [], { policy, mode: 'dontAsk' });
  expect(decidedOf(evaluateCall(call, { now: 0 }))).toMatchObject({ verdict: 'allow', reason: 'rule_match' });
});
