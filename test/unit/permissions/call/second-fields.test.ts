/** Checks that fragments of file addresses hide no name, and further fields of a fetch are judged. */
import { describe, expect, test } from 'vitest';
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

test('several patches name files as one does', () => {
  for (const input of [{ patches: ['+++ b/.env\n'] }, { diffs: ['--- a/x\n+++ b/.env\n'] }])
    expect(verdict('apply_patch', input)).toBe('deny');
});
