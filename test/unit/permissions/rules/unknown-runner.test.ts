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

  test.each([
    ['python3 -c \'os.system("rm x")\'', 'ask'],
    ['python3 -u -W ignore -c \'os.system("rm x")\'', 'ask'],
    ['node -r x -e "run(\'rm x\')" y', 'ask'],
    ['perl -ne \'system("rm $_")\' names.txt', 'ask'],
    ['ruby -e 1 -e "system(\'rm x\')"', 'ask'],
    ['sqlite3 a.db ".shell rm x"', 'ask'],
    // Arguments of a script or module are no code.
    ['python3 scripts/note.py "never rm x"', 'allow'],
    ['python3 -m pytest -k "not rm"', 'allow'],
    ['python3 -c "print(1)" "not rm"', 'allow'],
    ['node scripts/note.js "never rm x"', 'allow'],
    ['deno run note.ts "never rm x"', 'allow'],
  ])('code that holds its words asks: %s', (command, verdict) => {
    expect(judge('Bash', { command }, rules, bypass).verdict).toBe(verdict);
  });

  test('without rules that count, bypass allows as configured', () => {
    const { verdict } = judge('Bash', { command: 'foowrap rm x' }, rules, {
      ...bypass,
      bypass: { enabled: true, honoursRules: false },
    });
    expect(verdict).toBe('allow');
  });
});
