/**
 * Checks in real shells that a printed command runs as the text that people wrote (G44).
 *
 * Programs, arguments, input and files are the same.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyseCommand } from '../../../../shared/permissions/shell/analysis/analyse.ts';
import { canonicalCommand } from '../../../../shared/permissions/shell/printing/canonical.ts';
import { judgeBenign, readBenign } from '../../../conformance/benign.ts';
import { eachOf, PLACE, type Ran, SHELLS, ShellRuns, stubsFor, textsOf } from '../shell-runs.ts';
import { shell } from '../support.ts';

/** A line a text. */
const OWN_TEXTS = new URL('./canonical-texts.jsonl', import.meta.url);

/** Constructs that dash reads otherwise than the gate: printed, they run there as the gate reads them, and did not before. */
const ONLY_IN_BASH = /\$'|\|&|&>|\{[^}]*,[^}]*\}|(?:^|[;&|] *)time /;

let texts: readonly string[] = [];
let stubs: ReadonlyMap<string, readonly string[] | undefined> = new Map();
let runs: ShellRuns;

beforeAll(async () => {
  // Plain words of the benign corpus are left out: the property below runs enough of those.
  const printed = (await judgeBenign(readBenign())).filter(
    ({ row, verdict }) => verdict === 'allow' && /[^\w\s./=:@,+-]/.test(row.command),
  );
  texts = [...new Set([...textsOf(OWN_TEXTS), ...printed.map(({ row }) => row.command)])];
  stubs = new Map(texts.map((text) => [text, stubsFor(text)]));
  runs = new ShellRuns([...stubs.values()].flatMap((names) => names ?? []));
});
afterAll(() => runs?.remove());

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
      ['make "a\tb"', ['make\u00001\u0000a\tb\u0000']],
      ['make {a,b}', ['make\u00002\u0000a\u0000b\u0000']],
      ['make |& git x', ['git\u00001\u0000x\u0000<make says hello\n', 'make\u00000\u0000']],
    ];
    await eachOf(rows, async ([text, expected]) => {
      const ran = (await runs.run(shellPath, canonicalCommand(text, shell) as string)) as Ran;
      expect([text, ran.stubs]).toEqual([text, expected]);
    });
  },
);

/** Commands of literal words, hostile ones among them, each word in one of the ways that a shell has to quote. */
const hostile = fc.string({
  unit: fc.constantFrom(...'ab19-=/.,:_ \n\t\'"$`&|;()<>*?[]{}~!#^%@+\u00e9'),
  maxLength: 10,
});
const word = fc.tuple(hostile, fc.constantFrom('single', 'double', 'escaped')).map(([text, how]) => {
  if (how === 'double') return `"${text.replace(/[$`"\\]/g, '\\$&')}"`;
  if (how === 'single' || !/^[\x21-\x7e]+$/.test(text)) return `'${text.replaceAll("'", `'"'"'`)}'`;
  return Array.from(text, (char) => `\\${char}`).join('');
});
const command = fc
  .tuple(fc.constantFrom('make', 'git', 'x-y'), fc.array(word, { maxLength: 4 }))
  .map((all) => all.flat().join(' '));
const line = fc
  .array(command, { minLength: 1, maxLength: 3 })
  .chain((commands) => fc.constantFrom(' && ', '; ', ' | ', ' & ', '\n').map((operator) => commands.join(operator)));

test.each(SHELLS)('%s runs the words that the gate reads, whatever they hold', async (shellPath) => {
  const programs = new ShellRuns(['make', 'git', 'x-y']);
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 10, maxLength: 20 }), async (lines) => {
        const printed = lines.flatMap((text) => canonicalCommand(text, shell) ?? []);
        const ran = (await programs.run(shellPath, printed.join('\n'))) as Ran;
        const commands = printed.flatMap((text) => analyseCommand(text, shell, PLACE).commands);
        const read = commands.map(({ argv: [name, ...words] }) =>
          [name?.text, words.length, ...words.map(({ text }) => text), ''].join('\0'),
        );
        expect(ran.stubs.map((each) => each.replace(/\0(?:<[\w-]+ says hello\n)+$/, '\0'))).toEqual(read.sort());
      }),
      { numRuns: Number(process.env['COUNTERSIGN_RUNS'] ?? 8), endOnFailure: true },
    );
  } finally {
    await programs.remove();
  }
});
