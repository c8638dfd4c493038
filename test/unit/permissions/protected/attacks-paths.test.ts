/**
 * Checks protected paths under any key of an unknown tool (G6, R4-106).
 *
 * Texts beside them name no path, and stay free.
 */
import { describe, expect, test } from 'vitest';
import { judge } from '../support.ts';

const RULES = [
  ['allow', 'mcp__fs__*'],
  ['allow', 'Read(./src/**)'],
  ['allow', 'Edit(./src/**)'],
] as const;
const KEYS =
  'targetFile target-file TARGET_FILE output_file input_file save_to dst in out workdir location document resource href name key path file_path files newPath fileToRead'.split(
    ' ',
  );
const PROTECTED = [
  '.env',
  '.git/config',
  '~/.ssh/id_rsa',
  'a/../.env',
  'certs/server.pem',
  'id_rsa',
  '.git\\config',
  '\uff0eenv',
];

describe('a protected path', () => {
  test.each(KEYS)('is found under %s', (key) => {
    for (const path of PROTECTED) {
      expect(judge('mcp__fs__do', { [key]: path }, RULES).verdict).toBe('deny');
      expect(judge('mcp__fs__do', { a: [{ [key]: [path] }] }, RULES).verdict).toBe('deny');
      expect(judge('mcp__fs__do', { [key]: path }, RULES, { mode: 'bypass' }).verdict).toBe('deny');
    }
  });

  test.each([
    { files: { '.env': 'x' } },
    { entries: { 'a/.git/config': 'x' } },
    { ops: JSON.stringify({ path: '.env' }) },
    { ops: JSON.stringify([{ x: ['.env'] }]) },
    { args: ['--file=.env'] },
    { args: 'cat .env' },
    { cmd: 'cat .env' },
    { input: '.env' },
    { href: 'file:///workspace/app/.env' },
    { list: [['.env']] },
  ])('is found in %j', (input) => {
    expect(judge('mcp__fs__do', input, RULES).verdict).toBe('deny');
  });

  test('a deny rule for a path holds under any key', () => {
    const rules = [
      ['allow', 'mcp__fs__*'],
      ['deny', 'Read(secrets/**)'],
    ] as const;
    expect(judge('mcp__fs__do', { key: 'secrets/a' }, rules).verdict).toBe('deny');
  });

  test('a second path of a known tool needs its own allow', () => {
    expect(judge('Edit', { file_path: 'src/a', targetFile: '/etc/passwd' }, RULES).verdict).toBe('ask');
    expect(judge('Edit', { file_path: 'src/a', output_file: '.env' }, RULES).verdict).toBe('deny');
  });
});

describe('what names no path stays free', () => {
  test.each([
    { text: '.env is a file' },
    { note: '.env' },
    { body: '.env' },
    { commit_message: '.env' },
    { query: 'id_rsa' },
    { title: 'a.pem' },
    { content: '{"path": ".env"}' },
    { input: 'two words\nand a line' },
    { output: 'src/a.txt' },
    { name: 'main', key: 'a_b', in: 'cm', out: 'x' },
    { location: 'Berlin, DE' },
    { url: 'https://a.example/.env' },
    { repo: 'a/b.git', branch: 'feature/x', version: '1.2.3' },
    { email: 'a.b@c.example', price: 1.5 },
    { args: ['--verbose', 'build'] },
    { source_language: 'de', target_language: 'en' },
    { files: { 'src/a.ts': 'x' } },
  ])('%j', (input) => {
    expect(judge('mcp__fs__do', input, RULES).verdict).toBe('allow');
  });

  test.each([
    ['Edit', { file_path: 'src/a', old_string: '.env', new_string: 'x' }],
    ['Write', { file_path: 'src/a', content: '.env' }],
  ])('%s %j', (tool, input) => {
    expect(judge(tool, input, RULES).verdict).toBe('allow');
  });
});
