/**
 * Checks that the second reader agrees on every command of the cases and the corpus.
 *
 * Many generated commands are read, too.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ShellParser } from '../../../../shared/permissions/shell/syntax/shell-parser.ts';
import { readBenign } from '../../../conformance/benign.ts';
import { readCases } from '../../../conformance/case-files.ts';
import { runs, shellCommand } from '../properties/arbitraries.ts';
import { judge, shell } from '../support.ts';

interface AnyCase {
  readonly given?: { readonly input?: { readonly command?: unknown } };
}

const ALONE: ShellParser = { ...shell, secondReading: () => undefined };
const ALLOW_ALL = [
  ['allow', 'Bash'],
  ['allow', 'Edit(//**)'],
  ['allow', 'Read(//**)'],
] as const;

/** The second reader asks about no text that the first one by itself would let pass. */
function agree(command: string): void {
  const [alone, both] = [ALONE, shell].map(
    (parser) => judge('Bash', { command }, ALLOW_ALL, { shell: parser }).verdict,
  );
  expect(both, command).toBe(alone);
}

test('on every command of the cases', () => {
  const cases = [...readCases<AnyCase>('security.jsonl'), ...readCases<AnyCase>('seeds.jsonl')];
  const commands = cases.flatMap(({ given }) => given?.input?.command ?? []).filter((each) => typeof each === 'string');
  expect(commands.length).toBeGreaterThan(100);
  for (const command of new Set(commands)) agree(command);
});

test('on every command of the everyday corpus', () => {
  const rows = readBenign();
  expect(rows.length).toBeGreaterThan(500);
  for (const { command } of rows) agree(command);
});

test('the readers agree on generated commands', () => {
  fc.assert(fc.property(shellCommand, agree), { numRuns: runs(1500) });
});
