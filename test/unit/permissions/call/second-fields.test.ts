/** Checks that fragments of file addresses hide no name, and further fields of a fetch are judged. */
import { describe, expect, test } from 'vitest';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import { judge, type Rule } from '../support.ts';

const RULES: readonly Rule[] = [
  ['deny', 'Read(secrets/**)'],
  ...['Read', 'mcp__fs__*', 'apply_patch', 'WebFetch(domain:a.test)'].map((rule): Rule => ['allow', rule]),
];
const verdict = (tool: string, input: object) => judge(tool, input, RULES).verdict;

describe('a file URL with a fragment or a query', () => {
  test.each(['.env#L1', '.env?raw', 'secrets/x#L1-L2', 'src/x%23/../../.env', 'src/x#/../../.env'])('%s', (name) => {
    const uri = `file:///workspace/app/${name}`;
    expect(verdict('mcp__fs__read', { uri })).toBe('deny');
    expect(verdict('Read', { file_path: uri })).toBe('deny');
  });

  test('names another file', () => {
    expect(verdict('mcp__fs__read', { uri: 'file:///workspace/app/src/x#L1' })).toBe('allow');
  });
});

describe('a field of a fetch beside its address', () => {
  test.each([
    { urls: ['http://169.254.169.254'] },
    { uri: 'http://169.254.169.254' },
    { proxy: 'http://b.test' },
    { headers: { Host: 'b' } },
    { baseUrl: 'b' },
  ])('%j may lead elsewhere', (more) => expect(verdict('WebFetch', { url: 'http://a.test', ...more })).toBe('ask'));

  test.each([{ prompt: 'read http://b.test' }, { timeout: 5, format: 'markdown' }])('%j does not', (more) =>
    expect(verdict('WebFetch', { url: 'http://a.test', ...more })).toBe('allow'),
  );
});

test('a word of a fetch in which uri stands by chance leads nowhere', () => {
  const rules: readonly Rule[] = [['allow', 'WebFetch']];
  const ofField = (name: string) => judge('WebFetch', { url: 'https://a.test/', [name]: 'x' }, rules).verdict;
  expect(['security', 'maturity', 'curiosity', 'during'].map(ofField)).toEqual(Array(4).fill('allow'));
  const fields = [
    'uri',
    'uris',
    'uriList',
    'targetUri',
    'base_uri_2',
    'requestUriList',
    'baseUrisToTry',
    'requestURIList',
  ];
  expect(fields.map(ofField)).toEqual(fields.map(() => 'ask'));
});

test('an address in any other field of a fetch may lead it elsewhere', () => {
  const ofField = (field: object) =>
    judge('WebFetch', { url: 'https://a.test/', ...field }, [['allow', 'WebFetch']]).verdict;
  expect([{ x: 'https://b.test/' }, { target: ' HTTP://b.test' }, { from: 'ftp://b.test' }].map(ofField)).toEqual([
    ...['ask', 'ask', 'ask'],
  ]);
  expect([{ prompt: 'https://b.test/ is like it' }, { format: 'text' }].map(ofField)).toEqual(['allow', 'allow']);
});

describe('a patch that Codex gives apply_patch under command', () => {
  const patchOf = (name: string, line = 'x') => ({
    command: `*** Begin Patch\n*** Update File: ${name}\n@@\n+${line}\n*** End Patch`,
  });
  const tools = createToolRegistry([{ name: 'apply_patch', permissions: ['Write'] }]);
  const edits = (input: object, mode: 'default' | 'acceptEdits' = 'default') =>
    judge(
      'apply_patch',
      input,
      [
        ['allow', 'Edit(src/**)'],
        ['deny', 'Edit(infra/**)'],
      ],
      { tools, mode },
    ).verdict;

  test('names files in its headers alone', () => {
    expect(verdict('apply_patch', patchOf('.env'))).toBe('deny');
    expect(verdict('apply_patch', patchOf('my docs/.env'))).toBe('deny');
    expect(verdict('apply_patch', patchOf('src/a.ts', "config({ path: '.env' }) // see .git/hooks"))).toBe('allow');
  });

  test('is an edit of those files, where the policy file lists the tool', () => {
    expect([edits(patchOf('src/a.ts')), edits(patchOf('docs/a.md')), edits(patchOf('infra/a.tf'))]).toEqual([
      ...['allow', 'ask', 'deny'],
    ]);
    expect([edits(patchOf('docs/a.md'), 'acceptEdits'), edits(patchOf('/etc/x'), 'acceptEdits')]).toEqual([
      ...['allow', 'ask'],
    ]);
  });

  test('is read word by word where another program may run it', () => {
    expect(verdict('mcp__fs__run', { command: '*** Begin Patch\ncat .env' })).toBe('deny');
    expect(verdict('apply_patch', { command: 'cat .env' })).toBe('deny');
  });
});

test('several patches name files as one does', () => {
  for (const input of [{ patches: ['+++ b/.env\n'] }, { diffs: ['--- a/x\n+++ b/.env\n'] }])
    expect(verdict('apply_patch', input)).toBe('deny');
});
