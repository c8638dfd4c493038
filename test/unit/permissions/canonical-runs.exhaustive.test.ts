/** G44: a printed command runs the same programs, with the same arguments, input and files, as the text that people wrote, in real shells. */
import { afterAll, expect, test } from 'vitest';
import { canonicalCommand } from '../../../shared/permissions/shell/canonical.ts';
import { eachOf, type Ran, SHELLS, ShellRuns, stubsFor, textsOf } from './shell-runs.ts';
import { shell } from './support.ts';

/** A line a text; further files hold what a test elsewhere calls benign. */
const FILES = [new URL('./canonical-texts.jsonl', import.meta.url)];

/** What dash reads otherwise than the gate: these run there as the gate reads them, and did not before. */
const ONLY_IN_BASH = /\$'|\|&|&>|\{[^}]*,[^}]*\}|(?:^|[;&|] *)time /;

const texts = FILES.flatMap(textsOf);
const stubs = new Map(texts.map((text) => [text, stubsFor(text)]));
const runs = new ShellRuns([...stubs.values()].flatMap((names) => names ?? []));
afterAll(() => runs.remove());

test('most of them can be printed and run', () => {
  expect(SHELLS.length).toBeGreaterThan(0);
  const printed = texts.filter((text) => canonicalCommand(text, shell) !== undefined && stubs.get(text) !== undefined);
  expect(printed.length).toBeGreaterThan(texts.length * 0.9);
});

test.each(SHELLS)('a printed command has the effect of its text in %s', async (shellPath) => {
  const ended: string[] = [];
  await eachOf(texts, async (text) => {
    const printed = canonicalCommand(text, shell);
    if (printed === undefined || stubs.get(text) === undefined) return;
    if (shellPath.endsWith('dash') && ONLY_IN_BASH.test(text)) return;
    const [before, after] = [await runs.run(shellPath, text), await runs.run(shellPath, printed)];
    expect({ text, printed, ran: after }).toEqual({ text, printed, ran: before });
    if (before !== 'not ended') ended.push(text);
  });
  expect(ended.length).toBeGreaterThan(texts.length * 0.75);
});

test.each(SHELLS)(
  'a printed command runs what the gate reads in %s, whatever the text would do there',
  async (shellPath) => {
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ['[ -f a.ts || make ]', []],
      ['make &> out.txt', ['make\u00000\u0000']],
      ["make $'a\\tb'", ['make\u00001\u0000a\tb\u0000']],
      ['make {a,b}', ['make\u00002\u0000a\u0000b\u0000']],
      ['make |& git x', ['git\u00001\u0000x\u0000<make says hello\n', 'make\u00000\u0000']],
      ['alias make=git\nmake x', ['make\u00001\u0000x\u0000']],
    ];
    await eachOf(rows, async ([text, expected]) => {
      const ran = (await runs.run(shellPath, canonicalCommand(text, shell) as string)) as Ran;
      expect([text, ran.stubs]).toEqual([text, expected]);
    });
  },
);
