/** Checks that no one-line opening that was found once passes without a person. */
import { describe, expect, test } from 'vitest';
import { judge, type Rule } from './support.ts';

const PROGRAMS =
  'cat cp find sort tar rg grep git curl wget pytest unzip|npm test|npm run|[ -f|cdk diff|go build'.split('|');
const RULES: readonly Rule[] = [
  ['deny', 'Bash(rm:*)'],
  ['deny', 'Bash(npm run deploy:*)'],
  ['deny', 'Read(secrets/**)'],
  ['deny', 'Edit(infra/**)'],
  ['allow', 'Read'],
  ...[...(PROGRAMS[0] ?? '').split(' '), ...PROGRAMS.slice(1)].map((words): Rule => ['allow', `Bash(${words}:*)`]),
];

interface Row {
  readonly id: string;
  readonly tool: string;
  readonly input: object;
  readonly cwd?: string;
  readonly mode?: 'acceptEdits';
}

/**
 * The gate cannot see the disk, so that a search of the whole project stays allowed. A repository needs a file HEAD, which asks: a file
 * named config, and `git status` in a folder, stay as they are.
 */
const STILL_ALLOWED = new Set(['R2', 'B1', 'B2']);

const ROWS: readonly Row[] = [
  { id: 'E1', tool: 'Bash', input: { command: 'cat $@.env' } },
  { id: 'E2', tool: 'Bash', input: { command: 'cp src/e.sh $@.git/hooks/pre-commit' } },
  { id: 'E3', tool: 'Bash', input: { command: 'find . $1-exec ./src/e.sh {} +' } },
  { id: 'E4', tool: 'Bash', input: { command: 'find / $1-delete' } },
  { id: 'E5', tool: 'Bash', input: { command: 'git fetch "$1"--upload-pack=./src/e.sh .' } },
  { id: 'E6', tool: 'Bash', input: { command: 'npm test --script$@-shell=./src/e.sh' } },
  { id: 'E7', tool: 'Bash', input: { command: 'sort "$1"-o src/x y' } },
  {
    id: 'E8',
    tool: 'Bash',
    input: { command: 'tar tf x.tar "$1"--checkpoint=1 "$1"--checkpoint-action=exec=./src/e.sh' },
  },
  { id: 'E9', tool: 'Bash', input: { command: 'cat secr${E}ets/key' } },
  { id: 'E10', tool: 'Bash', input: { command: 'npm run dep$1loy' } },
  { id: 'T1', tool: 'Bash', input: { command: '[ -f x || ./src/e.sh ]' } },
  { id: 'T2', tool: 'Bash', input: { command: '[ -f x > src/index.ts ]' } },
  { id: 'T3', tool: 'Bash', input: { command: '[ -f x || touch -a evil ]' } },
  { id: 'G1', tool: 'Bash', input: { command: 'git config core.fsmonitor ./src/e.sh get' } },
  { id: 'G2', tool: 'Bash', input: { command: 'git config core.hooksPath src/h -l' } },
  { id: 'C1', tool: 'Bash', input: { command: 'cat *' }, cwd: '/home/agent/.ssh' },
  { id: 'C2', tool: 'Bash', input: { command: 'npm test' }, cwd: '/tmp/evil' },
  { id: 'C3', tool: 'Bash', input: { command: 'unzip /workspace/app/src/h.zip' }, cwd: '/workspace/app/.git/hooks' },
  { id: 'C4', tool: 'Grep', input: { pattern: '.' }, cwd: '/workspace/app/.git' },
  { id: 'D1', tool: 'Bash', input: { command: 'cat secret?/key' } },
  { id: 'D2', tool: 'Grep', input: { pattern: '.', glob: 's*/**' } },
  { id: 'D3', tool: 'Bash', input: { command: 'git checkout other -- infra/main.tf' } },
  { id: 'W1', tool: 'Bash', input: { command: "curl 'http://a.test\\@169.254.169.254/latest/meta-data/'" } },
  { id: 'P1', tool: 'Bash', input: { command: 'pytest --basetemp=src' } },
  { id: 'P2', tool: 'Bash', input: { command: 'cdk diff --app ./src/e.sh' } },
  { id: 'P3', tool: 'Bash', input: { command: 'go build -o /home/agent/.local/bin/git ./cmd/x' } },
  { id: 'R1', tool: 'Bash', input: { command: "grep -r KEY --include='.e*' ." } },
  { id: 'R2', tool: 'Bash', input: { command: "grep -r '' ." } },
  { id: 'B1', tool: 'Write', input: { file_path: 'src/x/config', content: 'x' }, mode: 'acceptEdits' },
  { id: 'B2', tool: 'Bash', input: { command: 'git status' }, cwd: '/workspace/app/src/x' },
  { id: 'S1', tool: 'Bash', input: { command: '"cat /x/cat"' } },
];

describe('a reproduction', () => {
  test.each(ROWS)('$id', ({ id, tool, input, cwd, mode }) => {
    const { verdict } = judge(tool, input, RULES, {
      ...(cwd === undefined ? {} : { cwd }),
      ...(mode === undefined ? {} : { mode }),
    });
    if (STILL_ALLOWED.has(id)) expect(verdict).toBe('allow');
    else expect(['ask', 'deny', 'error']).toContain(verdict);
  });

  test('what makes a repository of a folder asks', () => {
    const input = { file_path: 'src/x/HEAD', content: 'x' };
    expect(judge('Write', input, RULES, { mode: 'acceptEdits' }).verdict).toBe('ask');
  });
});
