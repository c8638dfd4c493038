/** Checks text for the terminal: escapes, JSON, tables, colours, times and help. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { colored, processIo } from '../../../shared/cli/support/io.ts';
import { instantOf } from '../../../shared/cli/support/parse-until.ts';
import { duration, jsonLine, plain, table } from '../../../shared/cli/support/terminal.ts';
import { STACK_SETTINGS } from '../../../shared/domain/aws/stack-settings.ts';
import { unicodeText } from '../../support/unicode-text.ts';
import { cli } from './run-cli.ts';

/** Characters on which a terminal acts: controls of both sets, and characters that change direction or hide. */
const ACTS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const hostile = unicodeText();

test('no text takes effect, and none spreads over a line', () => {
  fc.assert(fc.property(hostile, (text) => !ACTS.test(plain(text))));
});

test('text that is only seen stays as it is, backslashes too', () => {
  expect(plain('Bash(git push:*) C:\\x "é" 日本')).toBe('Bash(git push:*) C:\\x "é" 日本');
  expect(plain('a\nb\\n')).toBe('a\\u{000a}b\\\\n');
});

test('JSON parses back to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), hostile, (value, text) => {
      const line = jsonLine([value, text]);
      expect(ACTS.test(line.slice(0, -1))).toBe(false);
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify([value, text])));
    }),
  );
});

test('a table fits the terminal and loses no text', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { maxLength: 20 }).map((list) => list.join(' '));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(words, words, words), { maxLength: 6 }),
      fc.integer({ min: 60, max: 140 }),
      (rows, columns) => {
        const text = table(['A', 'B', 'C'], rows, columns);
        for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
        const letters = (of: string) => [...of.replaceAll(/\s/g, '')].sort().join('');
        expect(letters(text)).toBe(letters(`ABC${rows.flat().join('')}`));
      },
    ),
  );
});

test('a narrow terminal gets a block for each row, and no broken words', () => {
  const rows = [
    ['protected_paths', 'pass', 'nothing of it is protected by the gate'],
    ['rules', 'deny', ''],
  ];
  expect(table(['STAGE', 'VERDICT', 'WHY'], rows, 40)).toBe(
    [
      'STAGE: protected_paths',
      'VERDICT: pass',
      'WHY: nothing of it is protected by the',
      '     gate',
      '',
      'STAGE: rules',
      'VERDICT: deny',
      '',
    ].join('\n'),
  );
});

test.each([
  [0, '0s'],
  [59_999, '59s'],
  [61_000, '1m 1s'],
  [7_200_000, '2h'],
  [90_061_000, '1d 1h'],
])('%i ms is %s', (ms, text) => expect(duration(ms)).toBe(text));

test('colours only where they are wanted', () => {
  expect(colored('deny', { color: false })).toBe('deny');
  expect(colored('deny', { color: true })).toBe('\u001b[31mdeny\u001b[39m');
  expect(colored('other', { color: true })).toBe('other');
});

test('a time is read as a duration, an instant or a day, and lies ahead', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  expect(instantOf('--until', '30m', now)).toBe('2026-11-21T10:30:00.000Z');
  expect(instantOf('--until', '2026-11-22T00:00:00Z', now)).toBe('2026-11-22T00:00:00.000Z');
  expect(instantOf('--until', '2026-11-22', now)).toBe('2026-11-22T00:00:00.000Z');
  for (const wrong of ['soon', '5', '2026-11-20T00:00:00Z', '2026-11-20', '0m'])
    expect(() => instantOf('--until', wrong, now)).toThrow('--until: ');
});

describe('help', () => {
  const commands = [
    '',
    'check',
    'explain',
    'choose',
    'guardrails',
    'mcp',
    'policy',
    'policy lint',
    'status',
    'pending',
    'audit',
    'audit verify',
  ];
  const more = [
    'hook',
    'install',
    'install claude-code',
    'pause',
    'decide',
    'grants',
    'delegate',
    'sessions',
    'sessions list',
    'void-permits',
    'redrive',
    'webhooks',
    'webhooks replay',
  ];

  test('names every output of the stack that a command or its client reads', async () => {
    const { out } = await cli(['--help']);
    for (const { variable: name } of Object.values(STACK_SETTINGS)) expect(out).toMatch(new RegExp(`\\b${name}\\b`));
  });

  test.each([...commands, ...more])('of "%s" fits 80 columns, also into a pipe', async (command) => {
    const argv = [...command.split(' ').filter(Boolean), '--help'];
    const { out } = await cli(argv, { columns: Number.POSITIVE_INFINITY });
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  test.each([...commands, ...more, 'help'])('of "%s" is what the command help prints', async (command) => {
    const words = command.split(' ').filter(Boolean);
    const [asked, option] = [await cli(['help', ...words]), await cli([...words, '-h'])];
    expect(asked).toMatchObject({ code: 0, out: option.out, err: '' });
    expect(asked.out).toContain(`Usage: countersign ${command}`);
  });

  test.each([
    ['audti', "countersign: unknown command 'audti'; did you mean audit?; see countersign --help\n"],
    ['audit verfy', "countersign: unknown command 'verfy'; did you mean verify?; see countersign audit --help\n"],
  ])('of no command: "%s"', async (words, err) => {
    expect(await cli(['help', ...words.split(' ')])).toMatchObject({ code: 2, out: '', err });
  });
});

test('a long example of the help goes on as a shell takes it, and no quoted text is cut', async () => {
  const { out } = await cli(['sessions', 'set-mode', '--help']);
  expect(out.replaceAll(/ \\\n +/g, ' ')).toContain(
    "  countersign sessions set-mode main acceptEdits --agent coder --reason 'release day'\n",
  );
});

test('a command that has a summary alone is described by it', async () => {
  const { out } = await cli(['delegate', 'add', '--help']);
  expect(out).toContain('Add a delegation, for at most 90 days; nobody delegates to themselves.');
});

describe('the process', () => {
  test('a terminal that knows no width is as wide as it takes', () => {
    const { columns } = process.stdout;
    const widthOf = (known: number | undefined) => {
      Object.assign(process.stdout, { columns: known });
      return processIo().columns;
    };
    expect([0, undefined, 72].map(widthOf)).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 72]);
    Object.assign(process.stdout, { columns });
  });

  test.runIf(existsSync('/dev/full'))(
    'output that cannot be written is told in one line, with the code of a failure',
    () => {
      const full = openSync('/dev/full', 'w');
      const main = join(import.meta.dirname, '../../../shared/cli/main.ts');
      const ran = spawnSync(process.execPath, [main, '--help'], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
      closeSync(full);
      expect(ran).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^countersign: the output cannot be written: .*ENOSPC.*\n$/),
      });
    },
  );

  test.each([
    [['explain', '--tool', 'Bash', '--input', '{"command":"rm -rf /"}'], 4],
    [['explain', '--tool', 'Bash', '--input', '{"command":"git status"}'], 0],
    [['check', '--tool', 'Bash', '--input', '[]'], 5],
    [['--help'], 0],
  ])('a reader that goes leaves %j its exit code %i', async (words, code) => {
    const main = join(import.meta.dirname, '../../../shared/cli/main.ts');
    const policy = words.length > 1 ? ['--policy', join(import.meta.dirname, 'policy.yaml'), '--agent', 'builder'] : [];
    const child = spawn(process.execPath, [main, ...words, ...policy], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([code, null]);
  });

  test.each([[['frames']], [['check', '--batch=-']]])(
    'a reader that goes ends %j, whose input has no end',
    async (words) => {
      const main = join(import.meta.dirname, '../../../shared/cli/main.ts');
      const policy =
        words[0] === 'check' ? ['--policy', join(import.meta.dirname, 'policy.yaml'), '--agent', 'builder'] : [];
      const child = spawn(process.execPath, [main, ...words, ...policy], { stdio: ['pipe', 'pipe', 'inherit'] });
      const ended = once(child, 'exit');
      child.stdout.once('data', () => child.stdout.destroy());
      child.stdin.on('error', () => undefined);
      const lines = `${JSON.stringify({ tool: 'Bash', input: { command: 'ls' } })}\n`.repeat(300);
      const feeding = setInterval(() => child.stdin.write(lines), 20);
      try {
        expect(await ended).toEqual([0, null]);
      } finally {
        clearInterval(feeding);
        child.kill();
      }
    },
  );
});

/** As a Node that lacks what a module imports of it: the module is refused before any code of it runs. */
const WITHOUT_UTIL = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve: (name, context, next) => next(name === 'node:util' ? 'data:text/javascript,' : name, context),
  });`;

describe('a Node that is older than the package wants', () => {
  const onNode = (version: string, ...words: readonly string[]) => {
    const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
    const main = join(import.meta.dirname, '../../../shared/cli/main.ts');
    const preload = version.startsWith('18.') ? versions + WITHOUT_UTIL : versions;
    const argv = ['--import', `data:text/javascript,${preload}`, main, ...words];
    return spawnSync(process.execPath, argv, { encoding: 'utf8', input: '' });
  };

  test.each([
    [
      '18.20.8',
      '--version',
      1,
      'countersign: Node 22.12 or newer is needed, and this is 18.20.8: install it, or put it first on PATH\n',
    ],
    [
      ...(['18.20.8', 'hook', 2] as const),
      'Countersign has not decided this call, so it does not run: Node 22.12 or newer is needed, and this is 18.20.8: install it, or put it first on PATH\n',
    ],
    [
      '20.20.2',
      '--version',
      1,
      'countersign: Node 22.12 or newer is needed, and this is 20.20.2: install it, or put it first on PATH\n',
    ],
    [
      ...(['22.11.0', 'hook', 2] as const),
      'Countersign has not decided this call, so it does not run: Node 22.12 or newer is needed, and this is 22.11.0: install it, or put it first on PATH\n',
    ],
    ['22.12.0', '--version', 0, ''],
  ])('%s for %s', (version, word, status, stderr) => {
    expect(onNode(version, word)).toMatchObject({ status, stderr });
  });
});
