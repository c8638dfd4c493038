/**
 * Checks edits that would make a git repository.
 *
 * Git takes no folder for one without HEAD, and the settings of a repository run commands.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judge, type Rule } from '../support.ts';

const ALL: Rule[] = ['Bash', 'Edit', 'mcp__x__*'].map((name): Rule => ['allow', name]);
const outcomeOf = (toolName: string, input: object, mode = 'default'): string =>
  judge(toolName, input, ALL, { mode }).verdict;

describe('a file named HEAD', () => {
  test.each([
    ['Write', { file_path: 'src/x/HEAD', content: 'ref: refs/heads/a' }],
    ['Edit', { file_path: '/workspace/app/HEAD' }],
    ['Write', { file_path: 'src/x/head' }],
    ['Write', { file_path: 'src/x/./HEAD.' }],
    ['Bash', { command: 'echo "ref: refs/heads/a" > src/x/HEAD' }],
    ['Bash', { command: 'cp a src/x/HEAD' }],
    ['Bash', { command: 'cd src/x && mv ../a HEAD' }],
    ['Bash', { command: 'tee src/x/HEAD' }],
    ['mcp__x__put', { path: 'src/x/HEAD' }],
  ])('asks: %s %j', (toolName, input) => {
    for (const mode of ['default', 'acceptEdits', 'bypass']) expect(outcomeOf(toolName, input, mode)).toBe('ask');
  });

  test.each([
    ['Bash', { command: 'git reset HEAD' }],
    ['Bash', { command: 'git log HEAD --oneline' }],
    ['Bash', { command: 'ls src | head' }],
    ['Bash', { command: 'cat src/HEAD' }],
    ['Bash', { command: 'cp a src/config' }],
    ['Write', { file_path: 'src/config' }],
    ['Write', { file_path: 'src/objects/a' }],
    ['Write', { file_path: 'src/refs/heads/a' }],
    ['Write', { file_path: 'src/HEAD/a' }],
    ['Write', { file_path: 'src/HEAD.ts' }],
    ['Read', { file_path: 'src/HEAD' }],
  ])('and nothing else does: %s %j', (toolName, input) => {
    const mode = toolName === 'Read' ? 'default' : 'acceptEdits';
    expect(outcomeOf(toolName, input, mode)).toBe('allow');
  });
});

describe('git makes a bare repository of plain files', () => {
  test.each([
    'init --bare src/x',
    'init --bar src/x',
    'clone --bare . src/x',
    'clone --mirror https://a.example/b src/x',
  ])('asks: git %s', (words) =>
    expect(judge('Bash', { command: `git ${words}` }, [['allow', 'Bash(git:*)']]).verdict).toBe('ask'),
  );

  test.each(['init', 'init -b main src/x', 'clone https://a.example/b src/x'])('covers: git %s', (words) =>
    expect(judge('Bash', { command: `git ${words}` }, [['allow', 'Bash(git:*)']]).verdict).toBe('allow'),
  );
});

test('git itself takes no folder for a repository that has everything but HEAD', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bare-'));
  const marker = join(folder, 'ran');
  for (const name of ['objects', 'refs/heads', 'hooks']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(folder, 'config'),
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${marker}; false"\n`,
  );
  const status = () => {
    try {
      execFileSync('git', ['status'], {
        cwd: folder,
        stdio: 'ignore',
        env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: tmpdir() },
      });
    } catch {
      // Outside a repository it fails.
    }
    return existsSync(marker);
  };
  expect(status()).toBe(false);
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  expect(status()).toBe(true);
});
