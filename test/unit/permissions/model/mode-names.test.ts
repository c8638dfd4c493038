// Tests the names of modes, and the severity of calls (R4-005 … R4-009, D16).
import { describe, expect, test } from 'vitest';
import { modeDisplayName, modeFlags } from '../../../../shared/permissions/index.ts';
import { isMode, MODES, parseMode } from '../../../../shared/permissions/model/modes.ts';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import { compileRules } from '../../../../shared/permissions/rules/compile.ts';
import { judge } from '../support.ts';

describe('the names of the modes', () => {
  test('R4-003, R4-005: seven, with their display names and the seed spellings', () => {
    expect(MODES.map(modeDisplayName).toSorted()).toEqual(
      ['acceptEdits', 'auto', 'bubble', 'bypassPermissions', 'default', 'dontAsk', 'plan'].toSorted(),
    );
    for (const mode of MODES) expect(parseMode(modeDisplayName(mode))).toBe(mode);
    expect(
      ['Default', 'Plan', 'Auto', 'AcceptEdits', 'BypassPermissions', 'DontAsk', 'Bubble'].map((name) =>
        parseMode(name),
      ),
    ).toEqual(['default', 'plan', 'auto', 'acceptEdits', 'bypass', 'dontAsk', 'bubble']);
  });

  test.each(['', 'Bypass', 'DEFAULT', 'plan ', 'strict', 'toString', '__proto__', 'constructor'])(
    'R4-006: %j is none, and a call in it is an error',
    (name) => {
      expect(isMode(name)).toBe(false);
      expect(parseMode(name)).toBeUndefined();
      const call = judge('Read', { file_path: 'src/a.ts' }, [], { mode: name });
      expect(call).toMatchObject({ verdict: 'error', code: 'unknown_mode' });
    },
  );

  test('R4-045: what each mode is said to do', () => {
    const having = (flag: keyof ReturnType<typeof modeFlags>) => MODES.filter((mode) => modeFlags(mode)[flag]);
    expect(having('allowsWrite')).toEqual(['acceptEdits', 'bypass', 'dontAsk']);
    expect(having('requiresInteraction')).toEqual(['default', 'plan', 'bubble']);
    expect(having('usesClassifier')).toEqual(['auto']);
  });
});

describe('severity (D16)', () => {
  test.each([
    [undefined, undefined, 'medium'],
    ['low', undefined, 'low'],
    [undefined, 'critical', 'critical'],
    ['low', 'high', 'high'],
    ['high', 'low', 'high'],
    ['critical', 'critical', 'critical'],
    ['low', 'low', 'low'],
  ] as const)('tool %s, rule %s: %s', (tool, rule, expected) => {
    const registry = createToolRegistry([{ name: 'Pay', permissions: ['Sensitive'], severity: tool }]);
    const rules = [['ask', 'Pay', 'project']] as const;
    const call = { tools: registry };
    if (rule === undefined) expect(judge('Pay', {}, rules, call).severity).toBe(expected);
    else
      expect(
        judge('Pay', {}, [], {
          ...call,
          policy: compileRules([{ effect: 'ask', pattern: 'Pay', source: 'project', severity: rule }], {
            tools: registry,
          }).policy,
        }).severity,
      ).toBe(expected);
  });
});
