/**
 * `sh-syntax` (mvdan/sh) as a second opinion: whatever it refuses, or prints as other commands than the analysis saw, is never allowed.
 * Its printed form is another spelling of the same program, so both must hold the same commands.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell texts
import fc from 'fast-check';
import { print } from 'sh-syntax';
import { expect, test } from 'vitest';
import { analyseCommand } from '../../../shared/permissions/shell/analyse.ts';
import { readCases } from '../../conformance/case-files.ts';
import { runs, shellCommand } from './properties/arbitraries.ts';
import { judge, shell } from './support.ts';

const PLACE = { cwd: '/workspace/app', projectRoot: '/workspace/app', home: '/home/agent' };
const ALLOW_ALL = [
  ['allow', 'Bash'],
  ['allow', 'Edit(//**)'],
  ['allow', 'Read(//**)'],
] as const;

/** The commands that are seen, in order; assignments and redirections have their own rules. */
function commandsOf(text: string): string[] {
  return analyseCommand(text, shell, PLACE).commands.map(({ argv }) => argv.map((field) => field.text).join('\u0001'));
}

async function printed(text: string): Promise<string | undefined> {
  try {
    return await print(text, { filepath: 'command.bash' });
  } catch {
    return undefined;
  }
}

/** Holds for every command: refused or read otherwise by the second parser, it is not allowed. */
async function agree(command: string): Promise<void> {
  if (judge('Bash', { command }, ALLOW_ALL).verdict !== 'allow') return;
  const other = await printed(command);
  expect(other, `the second parser refuses ${JSON.stringify(command)}`).toBeDefined();
  // It prints `esac fi` without a `;`, which the first parser does not read: such a text is in doubt, and never allowed either.
  if (analyseCommand(other ?? '', shell, PLACE).doubts.length > 0) return;
  expect(commandsOf(other ?? ''), JSON.stringify({ command, other })).toEqual(commandsOf(command));
}

interface AnyCase {
  readonly given?: { readonly input?: { readonly command?: unknown } };
}

function commandsOfCases(): string[] {
  return [...readCases<AnyCase>('security.jsonl'), ...readCases<AnyCase>('seeds.jsonl')].flatMap(({ given }) => {
    const command = given?.input?.command;
    return typeof command === 'string' && command.length < 2000 ? [command] : [];
  });
}

test('on every command of the cases', async () => {
  for (const command of new Set(commandsOfCases())) await agree(command);
});

test('on generated commands', async () => {
  await fc.assert(fc.asyncProperty(shellCommand, agree), { numRuns: runs(400) });
});
