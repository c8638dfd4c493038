/** G6–G8 over generated commands and re-spellings, and the parser's short cut. */

import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Language, Parser } from 'web-tree-sitter';
import { analyseCommand } from '../../../../shared/permissions/shell/analyse.ts';
import { plainTree } from '../../../../shared/permissions/shell/plain-tree.ts';
import { judge, shell } from '../support.ts';
import { MODES, respell, runs, shellCommand } from './arbitraries.ts';

const ALLOWED = [
  ['allow', 'Bash(foo:*)'],
  ['allow', 'Bash(echo:*)'],
  ['allow', 'Bash(true:*)'],
  ['allow', 'Bash(ls:*)'],
] as const;

describe('commands', () => {
  test('G7: an allowed command joined to one that is not allowed is not allowed', () => {
    const joined = fc.constantFrom<(a: string, b: string) => string>(
      (a, b) => `${a}; ${b}`,
      (a, b) => `${a} && ${b}`,
      (a, b) => `${b} || ${a}`,
      (a, b) => `${a} | ${b}`,
      (a, b) => `${a} & ${b}`,
      (a, b) => `${a}\n${b}`,
      (a, b) => `${a} $(${b})`,
      (a, b) => `${a} "\`${b}\`"`,
      (a, b) => `${a} <(${b})`,
      (a, b) => `if ${a}; then ${b}; fi`,
      (a, b) => `( ${a}; ${b} )`,
      (_a, b) => `cat <<E\n$(${b})\nE`,
    );
    fc.assert(
      fc.property(shellCommand, joined, (command, join) => {
        expect(judge('Bash', { command: join('foo a', 'evil x') }, ALLOWED).verdict).not.toBe('allow');
        expect(judge('Bash', { command: join(command, 'evil x') }, ALLOWED).verdict).not.toBe('allow');
      }),
      { numRuns: runs(600) },
    );
  });

  test('G8: no re-spelling of a denied command gains an allow', () => {
    const rules = [
      ['deny', 'Bash(rm:*)'],
      ['allow', 'Bash'],
    ] as const;
    fc.assert(
      fc.property(
        respell,
        fc.constantFrom('x', '-rf y', 'build/z'),
        fc.constantFrom(...MODES),
        (once, argument, mode) => {
          expect(judge('Bash', { command: once('rm', argument) }, rules, { mode }).verdict).not.toBe('allow');
          const quoted = [...once('rm', argument)]
            .map((char) => ('\\"$`'.includes(char) ? `\\${char}` : char))
            .join('');
          const nested = `sh -c "${quoted}"`;
          expect(judge('Bash', { command: nested }, rules, { mode }).verdict).not.toBe('allow');
        },
      ),
      { numRuns: runs(600) },
    );
  });

  test('G6: no spelling of a protected path is allowed, through any tool, in any mode', () => {
    const name = fc.constantFrom(
      '.env',
      '.git/config',
      '.ssh/id_rsa',
      '.vscode/settings.json',
      'certs/server.pem',
      '.aws/credentials',
    );
    const spell = fc.constantFrom<(path: string) => string>(
      (path) => path,
      (path) => `./${path}`,
      (path) => `src/../${path}`,
      (path) => `//workspace//app/./${path}`,
      (path) => path.toUpperCase(),
      (path) => path.replaceAll('/', '\\'),
      (path) => path.replace('.', '%2e'),
      (path) => path.replace('.', '\u2024'),
      (path) => `${path[0]}\u200b${path.slice(1)}`,
      (path) => `file:///workspace/app/${path}`,
      (path) => `C:\\workspace\\app\\${path}`,
      (path) => `/proc/self/cwd/${path}`,
      (path) => `${path}.`,
      (path) => `${path}::$DATA`,
      (path) => path.normalize('NFD'),
    );
    const carry = fc.constantFrom<(path: string) => readonly [string, Record<string, unknown>]>(
      (path) => ['Read', { file_path: path }],
      (path) => ['Write', { file_path: path, content: '' }],
      (path) => ['Grep', { pattern: 'x', path }],
      (path) => ['mcp__fs__write', { files: [{ target: { path } }] }],
      (path) => ['NewTool', { a: { b: { destination: path } } }],
      (path) => ['Bash', { command: `cat '${path}'` }],
      (path) => ['Bash', { command: `foo --file='${path}'` }],
    );
    const rules = [
      ['allow', 'Read'],
      ['allow', 'Edit'],
      ['allow', 'Grep'],
      ['allow', 'Bash'],
      ['allow', 'mcp__fs__write'],
      ['allow', 'NewTool'],
    ] as const;
    fc.assert(
      fc.property(
        name,
        spell,
        carry,
        fc.constantFrom(...MODES),
        fc.boolean(),
        (path, spelled, carried, mode, honoursRules) => {
          const [tool, input] = carried(spelled(path));
          const verdict = judge(
            tool,
            input,
            rules,
            { mode, bypass: { enabled: true, honoursRules } },
            { grant: { scope: 'session' } },
          ).verdict;
          expect(['deny', 'error']).toContain(verdict);
        },
      ),
      { numRuns: runs(1500) },
    );
  });

  test('the tree of plain words is the one that the parser gives', async () => {
    await Parser.init();
    const parser = new Parser();
    parser.setLanguage(
      await Language.load(createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
    );
    const options = { cwd: '/p', projectRoot: '/p', home: '/h' };
    const words = fc.array(fc.stringMatching(/^[A-Za-z0-9_./:,+@%-]{1,8}$/), { minLength: 1, maxLength: 6 });
    const reserved = fc.constantFrom('if', 'time', 'do', '{', 'case', 'echo', 'git', '12', '-x', 'a.b', '1>x');
    fc.assert(
      fc.property(fc.option(reserved, { nil: undefined }), words, fc.constantFrom(' ', '  '), (first, rest, blank) => {
        const text = [...(first === undefined ? [] : [first]), ...rest].join(blank);
        if (plainTree(text) === undefined) return;
        const tree = parser.parse(text);
        const mine = analyseCommand(text, shell, options).commands.map(({ argv }) => argv.map((field) => field.text));
        expect(tree?.rootNode.hasError).toBe(false);
        const command = tree?.rootNode.namedChildren[0];
        expect(tree?.rootNode.namedChildren.length).toBe(1);
        expect(command?.type).toBe('command');
        expect(mine).toEqual([command?.namedChildren.map((node) => node?.text)]);
      }),
      { numRuns: runs(1500) },
    );
  });
});
