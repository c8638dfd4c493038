/**
 * Checks where paths are looked for in a tool's input (R4-106, R4-107, G6).
 *
 * Parts: keys, nested texts, patches, words that no parser reads.
 */
import { describe, expect, test } from 'vitest';
import { keyKind, keyWords, looksLikePath } from '../../../../shared/domain/path-keys.ts';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import { collectPaths } from '../../../../shared/permissions/paths/collect.ts';
import { patchHeaders } from '../../../../shared/permissions/paths/patch.ts';
import { scanCommandText } from '../../../../shared/permissions/paths/scan-command.ts';
import { judge } from '../support.ts';

const AT = { cwd: '/p', projectRoot: '/p', home: '/h' };

describe('keys (R4-106)', () => {
  test.each<[string, string]>([
    ...[
      'path',
      'paths',
      'file_path',
      'filePath',
      'FILE-PATH',
      'targetFile',
      'cwd',
      'outputDir',
      'uri',
      'notebook_path',
      'somepath',
      'baseuri',
      'old_path',
      'outfile',
      'logfiles',
      'outdir',
      'workdirs',
    ].map((key): [string, string] => [key, 'path']),
    ...['in', 'out', 'saveAs', 'fileToRead', 'pathPrefix', 'attachment'].map((key): [string, string] => [key, 'maybe']),
    ...['command', 'cmd', 'args', 'COMMAND_LINE'].map((key): [string, string] => [key, 'command']),
    ...['text', 'old_string', 'commitMessage', 'file_content', 'query'].map((key): [string, string] => [key, 'prose']),
    ...['n', 'limit', '', '_', 'profile', 'aws_profile', 'dockerfile', 'makefile', 'direct'].map(
      (key): [string, string] => [key, 'other'],
    ),
  ])('%s: %s', (key, kind) => expect(keyKind(key)).toBe(kind));

  test('a key is its words', () => {
    expect(['targetFile', 'TARGET_FILE', 'target-file2', '_a__b_', 'aBC', 'x0y9', ''].map(keyWords)).toEqual([
      ...[['target', 'file'], ['target', 'file'], ['target', 'file2'], ['a', 'b'], ['a', 'bc'], ['x0y9'], []],
    ]);
  });
});

describe('where a path may hide (G6)', () => {
  const denied = (input: object, toolName = 'mcp__x__y') => judge(toolName, input, [['allow', toolName]]).verdict;
  const many = Array.from({ length: 5000 }, (_, n) => `w${n}`).join(' ');
  test.each<[string, object]>([
    ['a web address that climbs', { path: 'https://x/../../.env' }],
    ['one that climbs in disguise', { path: 'https://x/%2e%2e/%2e%2e/.env' }],
    ['one that climbs, as a resource', { uri: 'http://x/../../.env' }],
    ['a file address', { uri: 'file:///workspace/app/.env' }],
    ['a file address in the middle', { url: ' file:///workspace/app/.env' }],
    ['a resource that is a path', { uri: '.env' }],
    ['after thousands of words', { cmd: `cat ${many} .env` }],
    ['an address that is a path', { url: '.env' }],
    ['an address of another kind', { url: 'ftp://x/.env' }],
    ['a patch under a key of words', { 'pa-t.c_h': '--- a/.env' }],
    ['a file address after an odd blank', { v: '\u00a0file:///workspace/app/.env' }],
    ['behind thousands of folders', { in: `${'a/../'.repeat(1000)}.env` }],
    ['behind thousands of folders, under any key', { v: `${'a/../'.repeat(1000)}.env` }],
    ['braces in a text of words', { cmd: 'cat {x}/{.env,b}' }],
    ['a list in a text of words', { cmd: 'cat a,.env,b' }],
    ['a quoted part of a word', { cmd: "cat .e''nv" }],
    ['a string in code', { script: 'open(".env")' }],
    ['a patch under a key of further words', { patch_text: '*** Update File: .env' }],
    ['a patch as OpenCode names it', { patchText: '*** Begin Patch\n*** Add File: .env\n+x' }],
    ['a diff of a kind', { unifiedDiff: '--- a/.env\n+++ b/.env' }],
    ['a name without a sign of a path', { outfile: 'id_rsa' }],
    ['a path under a key about patches', { patch_file: 'id_rsa' }],
    ['a path with a blank under such a key', { diff_target: 'my docs/.env' }],
    ['a path under such a key among paths', { paths: { diff_old: 'my docs/.env' } }],
    ['a patch whose name is in numbers', { patch: '--- a/x\n+++ "b/\\056env"\n' }],
    ['a rename whose name is in numbers', { patch: 'rename from "x"\nrename to "\\056\\145nv"\n' }],
    ['a key of an object of files', { files: { '.env': 'x' } }],
    ['a list of lists', { paths: [['a'], ['b', ['.env']]] }],
    ['JSON within a text', { payload: '{"a":[{"b":".env"}]}' }],
  ])('%s', (_, input) => expect(denied(input)).toBe('deny'));

  test.each<[string, object]>([
    ['a web address', { path: 'https://x/.envs' }],
    ['a web address of that name', { href: 'https://example.com/.env' }],
    ['one without a certificate', { href: 'http://example.com/.env' }],
    ['prose', { text: 'put it into .env' }],
    ['prose that is one word', { note: '.env' }],
    ['JSON within prose', { text: '{"path":".env"}' }],
    ['a word of another name', { cmd: 'cat env' }],
  ])('not: %s', (_, input) => expect(denied(input)).toBe('allow'));

  test('what a known tool says in other fields names no path', () => {
    expect(denied({ file_path: 'a', old_string: '.env', new_string: '.git/config' }, 'Edit')).toBe('allow');
    expect(denied({ pattern: '.env' }, 'Grep')).toBe('allow');
    expect(denied({ pattern: 'x', glob: '.env' }, 'Grep')).toBe('deny');
  });
});

describe('what is found, under which key, and whether it is what the tool is told to work on', () => {
  const x = 'mcp__x__y';
  test.each<[string, object, ...[string, string, boolean][]]>([
    [x, { cmd: 'cat /a' }, ['cat', 'cmd', false], ['/a', 'cmd', false]],
    [x, { args: ['/a'] }, ['/a', 'args[0]', false]],
    [x, { args: { v: 'cat /a' } }],
    ['Bash', { args: '/a', command: '/b' }, ['/a', 'args', false]],
    ['Bash', { v: { command: '/a' } }, ['/a', 'v.command', false]],
    [x, { url: 'file:///a ' }, ['file:///a', 'url', true]],
    [x, { url: '/a' }, ['/a', 'url', false]],
    [x, { url: 'a b' }],
    [x, { url: 'https://a/b' }],
    ['Edit', { url: '/a' }],
    ['Edit', { uri: 'a' }, ['a', 'uri', true]],
    ['Edit', { uri: 'http://a' }],
    ['Edit', { glob: '*.x' }],
    ['Glob', { pattern: 'a' }, ['a', 'pattern', true]],
    ['Grep', { glob: 'a' }, ['a', 'glob', true]],
    ['Grep', { v: { glob: 'a' } }],
    [x, { diff: '--- c' }, ['c', 'diff', true]],
    ['Edit', { files: { '.a': 1 } }, ['.a', 'files..a', true]],
    ['Edit', { v: { '.a': 1 } }],
    [x, { v: { '.a': 1 } }, ['.a', 'v..a', false]],
    [x, { text: { '.a': 1 } }],
    [x, { in: '/a', saveAs: 'b' }, ['/a', 'in', true]],
    [x, { v: '/a' }, ['/a', 'v', false]],
    [x, { v: '\u00a0/a' }, ['\u00a0/a', 'v', false]],
    [x, { v: '\u00a0file:///a' }, ['file:///a', 'v', false]],
    [x, { text: { v: '/a' } }],
    [x, { in: { v: '/a' } }, ['/a', 'in.v', true]],
    [x, { v: '{"path":"a"}' }, ['a', 'v.path', true]],
    ['Edit', { v: '{"path":"a"}' }],
  ])('%s %j', (tool, input, ...found) => {
    const { uses } = collectPaths(tool, input, { context: AT, commandAnalysed: true });
    expect(uses.map(({ path, key, argument }) => [path, key, argument])).toEqual(found);
  });

  test('what is nested sixty-four deep is looked at, and no deeper', () => {
    const nested = (depth: number): unknown => (depth === 0 ? '/a' : [nested(depth - 1)]);
    const { uses, tooDeep } = collectPaths(x, nested(64), { context: AT });
    expect([uses.length, tooDeep, collectPaths(x, nested(65), { context: AT }).tooDeep]).toEqual([1, false, true]);
  });

  test('one word with a sign of a path is one', () => {
    expect(
      ['a/b', '!/b', 'a.b', 'a~', '\u00e9', '\u007f', '', 'ab', 'a /b', 'a\t/b', '~'].filter(looksLikePath),
    ).toEqual(['a/b', '!/b', 'a.b', 'a~', '\u00e9', '\u007f', '~']);
  });
});

describe('the headers of a patch', () => {
  test.each<[string, string[]]>([
    ['*** Add File: a/b', ['a/b', 'b']],
    ['*** Update File: b/c', ['b/c', 'c']],
    ['*** Delete File: x', ['x']],
    ['*** Move to: x', ['x']],
    ['--- a/x\t2026-01-01', ['a/x', 'x']],
    ['+++ b/x', ['b/x', 'x']],
    ['+++ /dev/null', []],
    ['+++ ', []],
    ['rename to x', ['x']],
    ['rename from x', ['x']],
    ['copy to x', ['x']],
    ['copy from x', ['x']],
    ['Index: x', ['x']],
    ['diff --git a/x b/y', ['a/x', 'x', 'b/y', 'y']],
    ['diff -u -r x y', ['x', 'y']],
    ['  +++ b/x', ['b/x', 'x']],
    ['+++ "b/a\\040b"', ['b/a b', 'a b']],
    ['+++ "b/a\\"b"', ['b/a\\"b', 'a\\"b']],
    ['+++ "x', ['x']],
    ['+++ "', []],
    ['+++ "\\77x"', ['\\77x']],
    ['+++ "\\089"', ['\\089']],
    ['+++ "\\0561"', ['.1']],
    ['+++ "\\057x"', ['/x']],
    ['+x y', []],
    ['+x', []],
    ['different', []],
  ])('%s', (line, paths) => expect(patchHeaders(`x\n${line}\ny`)).toEqual(paths));
});

describe('words of a text that no parser reads (R4-106, R4-107)', () => {
  test.each<[string, string[]]>([
    ['a b\tc\nd\re', ['a', 'b', 'c', 'd', 'e']],
    ['a;b|c&d<e>f(g)h`i=j:k', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']],
    ["a'b'c", ['abc', 'a', 'b', 'c']],
    ['a"b\\c', ['abc', 'a', 'b', 'c']],
    ['a,b', ['a', 'b', 'a,b']],
    ['', []],
  ])('%j', (text, words) => {
    expect(scanCommandText(text).map(({ path }) => path).toSorted()).toEqual(words.toSorted()); // biome-ignore format: one line
  });
});

describe('an address where a path may stand lies outside of the project', () => {
  const tools = createToolRegistry([
    { name: 'Look', permissions: ['Read'] },
    { name: 'Copy', permissions: ['Read', 'Write'] },
  ]);
  const MODES = ['default', 'acceptEdits'] as const;

  test.each<[string, object]>([
    ['Read', { file_path: 'https://evil.test/?q=x' }],
    ['Read', { file_path: ' HTTP://evil.test/x' }],
    ['Read', { file_path: 's3://bucket/key' }],
    ['Read', { file_path: 'http://169.254.169.254/../latest' }],
    ['Look', { uri: 'https://evil.test/?q=x' }],
    ['Look', { url: 'https://evil.test/?q=x' }],
    ['Look', { urls: ['src/a', 'https://evil.test/'] }],
    ['Look', { options: { paths: ['src/a', 'ssh://evil.test/x'] } }],
    ['Look', { image: 'https://evil.test/x.png' }],
    ['Copy', { source: 'https://evil.test/x', target: 'src/a' }],
    ['Write', { file_path: 'ftp://evil.test/x', content: '' }],
  ])('%s %j asks', (tool, input) => {
    for (const mode of MODES) expect(judge(tool, input, [], { mode, tools }).verdict).toBe('ask');
  });

  test.each<[string, object]>([
    ['Read', { file_path: 'src/https' }],
    ['Grep', { pattern: 'https://evil.test/' }],
    ['Look', { path: 'src/a', text: 'see https://evil.test/' }],
    ['Look', { uri: 'file:///workspace/app/src/a' }],
  ])('%s %j does not', (tool, input) => {
    expect(judge(tool, input, [], { tools }).verdict).toBe('allow');
  });

  test('and no allow by path covers it; one of the whole tool does', () => {
    const input = { path: 'src/a', uri: 'https://evil.test/x' };
    const covered = judge('Look', input, [['allow', 'Look(src/**)']], { tools });
    expect(covered).toMatchObject({
      verdict: 'ask',
      message: 'An allow by path covers no address. A person decides.',
    });
    expect(judge('Look', input, [['allow', 'Look']], { tools }).verdict).toBe('allow');
  });
});

test('the globs of a search are looked at in a list as well', () => {
  const rules = [['deny', 'Read(secrets/**)']] as const;
  expect(judge('Grep', { pattern: 'x', glob: ['src/*', 'secrets/*'] }, [...rules]).verdict).toBe('deny');
  expect(judge('Grep', { pattern: 'x', glob: ['.env'] }, []).verdict).toBe('deny');
  expect(judge('Grep', { pattern: 'x', glob: ['src/*'] }, [...rules]).verdict).toBe('allow');
});

describe('a path of an unknown tool with braces is each of its readings, because the tool may expand them', () => {
  test.each(['{.env,x}', '.e{n,}v', 'src/{a,../.env}', '.@(env)'])('%s', (path) => {
    expect(judge('mcp__fs__read', { path }, [['allow', 'mcp__fs']]).verdict).toBe('deny');
  });

  test.each(['src/{a,b}.ts', '{x}'])('but %s', (path) => {
    expect(judge('mcp__fs__read', { path }, [['allow', 'mcp__fs']]).verdict).toBe('allow');
  });
});

test.each(['print(1)', 'import os\nos.listdir("/etc")', 'df.head()', '# loads .env', '.env'])(
  'the code of a notebook is no path: %j',
  (new_source) => {
    const input = { notebook_path: 'src/a.ipynb', new_source };
    expect(judge('NotebookEdit', input, [['allow', 'Edit(src/**)']]).verdict).toBe('allow');
    expect(judge('NotebookEdit', input, [], { mode: 'acceptEdits' }).verdict).toBe('allow');
    expect(judge('NotebookEdit', { ...input, notebook_path: '.env' }, []).verdict).toBe('deny');
  },
);
