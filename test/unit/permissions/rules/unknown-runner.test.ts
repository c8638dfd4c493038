/** Checks that a program which nobody described does not run a denied one in bypass or auto mode (G8). */
import { describe, expect, test } from 'vitest';
import { judge } from '../support.ts';

describe('a program that nobody described, and that names a denied one (G8)', () => {
  const rules = [['deny', 'Bash(rm:*)']] as const;
  const bypass = { mode: 'bypass', bypass: { enabled: true, honoursRules: true } } as const;
  const sure = { state: 'answered', result: { shouldBlock: false, reason: 'fine', confidence: 1 } } as const;

  test.each([
    ['bypass', bypass, {}],
    ['auto', { mode: 'auto' }, { classifier: sure }],
  ] as const)('asks in mode %s', (_, context, facts) => {
    const one = (command: string) => judge('Bash', { command }, rules, context, facts);
    expect(one('foowrap --now rm -rf build')).toMatchObject({ verdict: 'ask', code: 'may-run-denied' });
    expect(one('foowrap --now build').verdict).toBe('allow');
  });

  test('without rules that count, bypass allows as configured', () => {
    const { verdict } = judge('Bash', { command: 'foowrap rm x' }, rules, {
      ...bypass,
      bypass: { enabled: true, honoursRules: false },
    });
    expect(verdict).toBe('allow');
  });
});
