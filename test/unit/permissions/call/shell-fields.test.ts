/** Checks fields beside a shell tool's command: what nobody declared may change what runs (G9). */
import { describe, expect, test } from 'vitest';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import { judge, type Rule } from '../support.ts';

const ALLOW: Rule[] = [['allow', 'Bash(ls:*)']];
const outcomeOf = (fields: object, more = {}, rules = ALLOW): string =>
  judge('Bash', { command: 'ls', ...fields }, rules, more).verdict;

describe('a field that may change what runs asks', () => {
  test.each<object>([
    { env: { LD_PRELOAD: './x.so' } },
    { shell: '/tmp/evil' },
    { stdin: 'rm -rf /' },
    { cwd: '/workspace/app' },
    { workdir: 'src' },
    { user: 'root' },
    { Command: 'rm' },
    { COMMAND: 'rm' },
    { args: ['x'] },
    { dangerouslyDisableSandbox: true },
    { timeout: '1; rm x' },
    { description: { env: {} } },
    { run_in_background: 'rm' },
    { '': 1 },
    { hasOwnProperty: 1 },
  ])('%j', (fields) => {
    for (const mode of ['default', 'acceptEdits', 'bypass']) expect(outcomeOf(fields, { mode })).toBe('ask');
    expect(judge('Bash', { command: 'ls', ...fields }, [['deny', 'Bash(ls:*)']]).verdict).toBe('deny');
  });

  test('and says which', () => {
    expect(judge('Bash', { command: 'ls', env: {} }, ALLOW).message).toBe(
      'The field env of Bash may change what runs; its entry in the policy file does not declare it.',
    );
    const odd = judge('Bash', { command: 'ls', 'a\u202eb': 1 }, ALLOW);
    expect(odd.message).toContain('The field with an unusual name of Bash');
  });
});

describe('a field that changes nothing', () => {
  test.each([{ description: 'List files' }, { timeout: 1000 }, { run_in_background: true }])('%j', (fields) =>
    expect(outcomeOf(fields)).toBe('allow'),
  );

  test('or that the entry of the tool declares', () => {
    const properties = { command: {}, env: {}, cwd: {} };
    const tools = createToolRegistry([{ name: 'Bash', permissions: ['Execute'], argsSchema: { properties } }]);
    expect(outcomeOf({ env: { CI: '1' } }, { tools })).toBe('allow');
    expect(outcomeOf({ shell: 'zsh' }, { tools })).toBe('ask');
    // The call has a folder of its own, which is judged.
    expect(outcomeOf({ cwd: 'src' }, { tools })).toBe('ask');
    for (const argsSchema of [undefined, null, 'env', {}, { properties: null }, { properties: ['env'] }]) {
      const without = createToolRegistry([{ name: 'Bash', permissions: ['Execute'], argsSchema }]);
      expect(outcomeOf({ env: {} }, { tools: without })).toBe('ask');
    }
  });

  test('but no further words of a command, whoever declares them: only command is read', () => {
    const properties = { command: {}, cmd: {}, args: {}, script: {} };
    const tools = createToolRegistry([
      { name: 'Run', permissions: ['Execute'], shell: true, subject: ['cmd'], argsSchema: { properties } },
    ]);
    const rules: Rule[] = [
      ['deny', 'Run(rm:*)'],
      ['allow', 'Run(ls:*)'],
    ];
    for (const more of [{ args: ['-x'] }, { cmd: 'rm x' }, { script: 'rm x' }]) {
      const verdict = judge('Run', { command: 'ls', ...more }, rules, { tools });
      expect(verdict.verdict).toBe('ask');
      expect(verdict.message).toContain('may change what runs: only command is read as a command');
    }
    expect(judge('Run', { command: 'ls' }, rules, { tools }).verdict).toBe('allow');
  });

  test('or beside a tool that is no shell', () => {
    const input = { pattern: 'x', env: {} };
    expect(judge('Grep', input, []).verdict).toBe('allow');
  });

  test('holds for every tool that is a shell', () => {
    const tools = createToolRegistry([{ name: 'Zsh', permissions: ['Execute'], shell: true }]);
    expect(judge('Zsh', { command: 'ls', env: {} }, [['allow', 'Zsh(ls:*)']], { tools }).verdict).toBe('ask');
    expect(judge('Zsh', { command: 'ls' }, [['allow', 'Zsh(ls:*)']], { tools }).verdict).toBe('allow');
  });
});
