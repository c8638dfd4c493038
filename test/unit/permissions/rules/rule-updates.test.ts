/** Checks that a change of rules, a rule and a tool have no field that nobody reads. */
import { describe, expect, test } from 'vitest';
import { type Mode, PermissionService, RuleUpdateError } from '../../../../shared/permissions/index.ts';
import { RuleRegistry } from '../../../../shared/permissions/rules/registry.ts';

const ADD = { matcher: 'Bash', behavior: 'deny', source: 'session' };

describe('a change of rules', () => {
  test.each<[string, object | null, string]>([
    ['an end date that a change cannot set', { AddRule: { ...ADD, expiresAt: 5 } }, 'AddRule.expiresAt'],
    ['a misspelt field', { AddRule: { ...ADD, resaon: 'x' } }, 'AddRule.resaon'],
    ['a source beside the matcher', { RemoveRule: { matcher: 'Bash', source: 'session' } }, 'RemoveRule.source'],
    ['no matcher', { RemoveRule: {} }, 'RemoveRule.matcher'],
    ['an end of a mode', { SetMode: { mode: 'plan', until: 5 } }, 'SetMode.until'],
    ['no fields at all', { AddRule: null }, 'AddRule'],
    ['two changes in one', { AddRule: ADD, SetMode: { mode: 'plan' } }, 'one of AddRule, RemoveRule, SetMode'],
    ['a kind that nobody knows', { toString: {} }, 'one of AddRule, RemoveRule, SetMode'],
    ['nothing', null, 'one of AddRule, RemoveRule, SetMode'],
  ])('with %s is refused by name and changes nothing', (_, update, named) => {
    const registry = new RuleRegistry([{ effect: 'deny', pattern: 'Bash', source: 'user' }]);
    expect(() => registry.apply(update as never)).toThrow(RuleUpdateError);
    expect(() => registry.apply(update as never)).toThrow(named);
    expect(registry.rules).toHaveLength(1);
  });

  test.each([
    ['userSettings', 'user'],
    ['projectSettings', 'project'],
    ['localSettings', 'local'],
    ['cliArg', 'cli'],
    ['session', 'session'],
  ])('R4-070: a lasting answer may name its source as a settings destination does: %s', (named, source) => {
    const result = new RuleRegistry().apply({ AddRule: { ...ADD, source: named } });
    expect(result).toMatchObject({ kind: 'added', rule: { effect: 'deny', source } });
  });

  test.each(['managed', 'Managed', 'mANAGED', 'usersettings', 'UserSettingsX', ''])(
    'no spelling makes the source %j one that a user may add',
    (source) => expect(new RuleRegistry().apply({ AddRule: { ...ADD, source } }).kind).toBe('dropped'),
  );
});

describe('settings of the service', () => {
  const rule = { effect: 'allow', pattern: 'Bash', source: 'session' } as const;

  test.each<[object, string]>([
    [{ rules: [rule, { ...rule, expires: 5 }] }, 'rules[1].expires'],
    [{ rules: [{ ...rule, severity: 'hi' }] }, 'rules[0].severity'],
    [{ tools: [{ name: 'deploy', permissions: ['Execute'], sevrity: 'high' }] }, 'tools[0].sevrity'],
    [{ tools: [{ name: 'deploy', permissions: ['Execute'], severity: 'hi' }] }, 'tools[0].severity'],
    [{ tools: [{ name: 'deploy', permissions: 'Execute' }] }, 'tools[0].permissions'],
    [{ tools: [{ name: 'bash', permissions: ['Read'] }] }, 'tools[0].name: bash differs only in case from Bash'],
    [
      { tools: ['pay', 'Pay'].map((name) => ({ name, permissions: [] })) },
      'tools[0].name: pay differs only in case from Pay',
    ],
    [{ tools: [{ name: 'constructor', permissions: [] }] }, 'tools[0].name'],
    [{ fs: { symlink: {} } }, 'fs.symlink'],
    [{ binding: { sesion: 's1' } }, 'binding.sesion'],
  ])('%j is refused by the name of the field', (settings, named) => {
    expect(() => new PermissionService(settings as { mode: Mode })).toThrow(named);
  });

  test('a rule that is added later is checked alike', () => {
    const service = new PermissionService();
    expect(() => service.addRule({ ...rule, expires: 5 } as never)).toThrow(RuleUpdateError);
    expect(service.rules).toEqual([]);
  });
});
