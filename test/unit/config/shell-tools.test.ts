/** How the policy file says that a tool is a shell, and that its commands run as the gate prints them (D44). */
import { describe, expect, test } from 'vitest';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { loadPolicy } from '../../../shared/config/load.ts';

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

  test.each(['{ canonical: 1 }', '{}', '{ canonical: true, quoted: true }', 'canonical', '[]'])(
    'is not a shell in the way of %s',
    (shell) => expect(() => load(`Run: { permissions: [Execute], shell: ${shell} }`)).toThrow(/tools\.Run\.shell/),
  );
});
