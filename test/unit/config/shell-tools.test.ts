/**
 * Checks how the policy file declares that a tool is a shell.
 *
 * Commands of some run as the gate prints them (D44).
 */
import { describe, expect, test } from 'vitest';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { createToolRegistry } from '../../../shared/permissions/model/tools.ts';
import type { ToolEntry } from '../../../shared/permissions/model/types.ts';

const load = (tool: string) => loadPolicy(`agents: {}\ntools:\n  ${tool}\n`, 'countersign.yaml');
const entryOf = (tool: string) => {
  const found = compilePolicy(load(tool)).tools.lookup(tool.slice(0, tool.indexOf(':')));
  return found.kind === 'listed' ? found.entry : undefined;
};

describe('a tool', () => {
  test.each<[string, boolean, boolean | undefined]>([
    ['Bash: { permissions: [Execute] }', true, undefined],
    ['Bash: { permissions: [Execute], shell: { canonical: true } }', true, true],
    ['Bash: { permissions: [Execute], shell: { canonical: false } }', true, false],
    // The built-in shell tool cannot be listed into another one.
    ['Bash: { permissions: [Execute], shell: false }', true, undefined],
    ['Run: { permissions: [Execute], shell: { canonical: true } }', true, true],
    ['Run: { permissions: [Execute], shell: { canonical: false } }', true, false],
    ['Run: { permissions: [Execute], shell: true }', true, undefined],
    ['Run: { permissions: [Execute], shell: false }', false, undefined],
    ['Run: { permissions: [Execute] }', false, undefined],
  ])('%s', (tool, shell, canonical) => {
    expect(entryOf(tool)).toMatchObject({ shell });
    expect(entryOf(tool)?.canonical).toBe(canonical);
  });

  test.each([
    'Bash: { shell: { canonical: true } }',
    'Bash: { severity: high }',
    'Read: { severity: high }',
    'Bash: {}',
  ])('that is built in can do what it could: %s', (tool) => {
    const name = tool.slice(0, tool.indexOf(':'));
    const { permissions, subject, shell } = createToolRegistry()
      .list()
      .find((each) => each.name === name) as ToolEntry;
    expect(entryOf(tool)).toMatchObject({ permissions, subject, shell: shell ?? false });
  });

  test('that is built in takes the permissions that the file states', () => {
    expect(entryOf('Bash: { permissions: [Execute, Sensitive] }')?.permissions).toEqual(['Execute', 'Sensitive']);
  });

  test('that is not built in has to state them', () => {
    expect(() => load('Run: { shell: true }')).toThrow(/countersign\.yaml:3.*tools\.Run\.permissions.*not built in/);
    expect(() => load('constructor: { shell: true }')).toThrow(/tools/);
  });

  test.each([
    'Run: { permissions: [Execute], shell: true, subject: [cmd] }',
    'Run: { permissions: [Execute], shell: { canonical: true }, subject: [host] }',
    'Bash: { subject: [cmd] }',
  ])('that is a shell has no subject without its command: %s', (tool) => {
    expect(() => load(tool)).toThrow(/countersign\.yaml:3.*subject: lacks command/);
  });

  test('that is no shell, or names its command, has any subject', () => {
    expect(entryOf('Run: { permissions: [Execute], subject: [cmd] }')?.subject).toEqual(['cmd']);
    expect(entryOf('Run: { permissions: [Execute], shell: true, subject: [command, host] }')?.shell).toBe(true);
  });

  test.each(['{ canonical: 1 }', '{}', '{ canonical: true, quoted: true }', 'canonical', '[]'])(
    'is not a shell in the way of %s',
    (shell) => expect(() => load(`Run: { permissions: [Execute], shell: ${shell} }`)).toThrow(/tools\.Run\.shell/),
  );
});
