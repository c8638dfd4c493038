/** Checks that the folder of a call is a path of the call (D41): whoever sends it chooses the folder. */
import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actionDigest } from '../../../../shared/domain/digest.ts';
import { ProtectedPathChecker } from '../../../../shared/permissions/index.ts';
import { evaluateCall } from '../../../../shared/permissions/stages/evaluate.ts';
import { callOf, checker, judge, type Rule, shell } from '../support.ts';

const ROOT = '/workspace/app';
const HOME = '/home/agent';
const outcomeOf = (toolName: string, input: object, cwd: string, rules: readonly Rule[] = [], more = {}): string => {
  const { verdict, reason } = judge(toolName, input, rules, { cwd, ...more });
  return `${verdict} ${reason}`;
};
const bash = (command: string, cwd: string, rules: readonly Rule[], more = {}): string =>
  outcomeOf('Bash', { command }, cwd, rules, more);

describe('a protected folder', () => {
  test.each([
    ['cat *', `${HOME}/.ssh`],
    ['unzip ../../src/h.zip', `${ROOT}/.git/hooks`],
    ['make', `${ROOT}/.git`],
    ['make', `${ROOT}/src/../.git`],
    ['make', `${ROOT}/.GIT/`],
    ['make', `${ROOT}/.git\u200b`],
    ['make', `${ROOT}/%2egit`],
    ['make', '/workspace/app/.env.d'],
    ['make', `${HOME}/.aws/credentials`],
  ])('denies %s in %s, in every mode', (command, cwd) => {
    for (const mode of ['default', 'acceptEdits', 'bypass', 'auto', 'plan', 'dontAsk'])
      expect(bash(command, cwd, [['allow', 'Bash']], { mode }), mode).toBe('deny protected_path');
  });

  test.each([
    ['Grep', { pattern: '.' }],
    ['Glob', { pattern: '**/*' }],
    ['Glob', { pattern: '*' }],
    ['Read', { file_path: 'x' }],
    ['mcp__jira__get', {}],
  ])('denies %s %j', (toolName, input) => {
    expect(outcomeOf(toolName, input, `${ROOT}/.git`, [['allow', 'mcp__jira__*']])).toBe('deny protected_path');
  });

  test('a glob is read from the folder that it stands in', () => {
    expect(bash('cat cred*', `${HOME}/.aws`, [['allow', 'Bash(cat:*)']])).toBe('deny protected_path');
    expect(bash('cd ../../../home/agent/.aws && cat ../.aws/cred*', ROOT, [])).toBe('deny protected_path');
    expect(outcomeOf('Glob', { pattern: 'cred*', path: `${HOME}/.aws` }, ROOT)).toBe('deny protected_path');
    expect(outcomeOf('Glob', { pattern: '../.aws/cred*', path: `${HOME}/x` }, ROOT)).toBe('deny protected_path');
    expect(outcomeOf('Grep', { pattern: 'x', glob: 'cred*', path: '~/.aws' }, ROOT)).toBe('deny protected_path');
    const custom = checker.withPattern('/infra/keys/');
    expect(bash('cat key*/a', `${ROOT}/infra`, [['allow', 'Bash(cat:*)']], { protected: custom })).toBe(
      'deny protected_path',
    );
    // Two letters do not say the name: a person looks.
    expect(bash('cat ke*/a', `${ROOT}/infra`, [['allow', 'Bash(cat:*)']], { protected: custom })).toContain('ask');
  });

  test('the checker alone sees it, too', () => {
    const context = { cwd: `${ROOT}/.git`, projectRoot: ROOT, home: HOME };
    expect(checker.check('Bash', { command: 'ls' }, { context, shell })).toMatchObject({ matchedPattern: '.git' });
    expect(new ProtectedPathChecker().check('Bash', { command: 'ls' }, { context })).toMatchObject({
      kind: 'Protected',
    });
  });
});

describe('deny and ask rules on paths', () => {
  const rules = (...all: Rule[]): Rule[] => [...all, ['allow', 'Bash(ls:*)'], ['allow', 'mcp__jira__*']];

  test.each([
    ['Read(secrets/**)', `${ROOT}/secrets`],
    ['Read(secrets/*)', `${ROOT}/secrets`],
    ['Read(secrets/)', `${ROOT}/secrets`],
    ['Read(/secrets/*)', `${ROOT}/secrets`],
    ['Read(secrets)', `${ROOT}/secrets/deep/down`],
    ['Read(//srv/**)', '/srv'],
    ['Read(~/private/*)', `${HOME}/private`],
  ])('%s takes what runs in %s', (pattern, cwd) => {
    expect(bash('ls', cwd, rules(['deny', pattern]))).toBe('deny rule_match');
    expect(bash('ls', cwd, rules(['ask', pattern]))).toBe('ask rule_match');
    expect(outcomeOf('mcp__jira__get', {}, cwd, rules(['deny', pattern]))).toBe('deny rule_match');
  });

  test('and not its neighbours', () => {
    expect(bash('ls', `${ROOT}/secretsx`, rules(['deny', 'Read(secrets/*)']))).toBe('allow rule_match');
    expect(bash('ls', `${ROOT}/src`, rules(['deny', 'Read(src/*.key)']))).toBe('allow rule_match');
    expect(bash('ls', `${ROOT}/src`, rules(['deny', 'Edit(src/**)']))).toBe('allow rule_match');
  });

  test('whoever names a folder names all that is in it', () => {
    expect(bash('ls secrets', ROOT, rules(['deny', 'Read(secrets/*)']))).toBe('deny rule_match');
    expect(outcomeOf('Grep', { pattern: 'x', path: 'secrets' }, ROOT, [['deny', 'Read(secrets/*)']])).toBe(
      'deny rule_match',
    );
  });
});

describe('outside the project root', () => {
  const ALLOWS: Rule[] = [
    ['allow', 'Bash(npm test)'],
    ['allow', 'Bash(npm test:*)'],
    ['allow', 'Bash'],
    ['allow', 'Edit'],
  ];
  test.each([
    ['npm test', '/tmp/evil'],
    ['npm test', '/workspace'],
    ['npm test', '/workspace/application'],
    ['npm test', '/'],
    ['npm test', `${ROOT}/..`],
    ['npm test', HOME],
    ['cd /workspace/app && npm test', '/tmp'],
    ['npm test > /workspace/app/out.txt', '/tmp'],
  ])('no rule allows %s in %s', (command, cwd) => {
    expect(bash(command, cwd, ALLOWS)).toBe('ask handler');
  });

  test('whatever the folder and the command are (G6, G7)', () => {
    const name = fc.constantFrom('a', 'app', 'workspace', '..', '.', 'src', 'x y', 'workspace/app', 'ÄB');
    const command = fc.constantFrom('ls', 'cd /workspace/app && ls', '(ls)', 'ls $(pwd)', 'time ls', 'ls && ls > x');
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), command, (names, text) => {
        const cwd = `/${names.join('/')}`;
        const outside = !`${posix.resolve(cwd)}/`.startsWith(`${ROOT}/`);
        const verdict = bash(text, cwd, ALLOWS);
        expect(outside && verdict.startsWith('allow')).toBe(false);
      }),
    );
  });

  test('the trace says why', () => {
    const call = callOf('Bash', { command: 'npm test' }, ALLOWS, { cwd: '/tmp' });
    const { trace } = evaluateCall(call, { now: 0 });
    expect(trace.map(({ why }) => why)).toContain('no rule covers a command that runs outside the project root');
  });

  test('within it nothing changes', () => {
    for (const cwd of [ROOT, `${ROOT}/`, `${ROOT}/pkg`, `${ROOT}/pkg/../pkg`])
      expect(bash('npm test', cwd, ALLOWS), cwd).toBe('allow rule_match');
    expect(outcomeOf('Write', { file_path: 'a' }, `${ROOT}/pkg`, [], { mode: 'acceptEdits' })).toBe(
      'allow accept_edits',
    );
  });

  test('reading only and accepted edits need it inside', () => {
    expect(outcomeOf('Read', { file_path: `${ROOT}/a` }, '/tmp')).toBe('ask handler');
    expect(outcomeOf('Write', { file_path: `${ROOT}/a` }, '/tmp', [], { mode: 'acceptEdits' })).toBe('ask handler');
  });

  test('a folder with odd characters asks, in bypass too', () => {
    const odd = `${ROOT}/a\u202eb`;
    expect(bash('npm test', odd, ALLOWS)).toBe('ask handler');
    expect(bash('npm test', odd, [], { mode: 'bypass' })).toMatch(/^ask /);
  });
});

test('a project root of the policy file is nobody’s choice, wherever it lies', () => {
  const rules: Rule[] = [
    ['deny', 'Read(secrets/**)'],
    ['allow', 'Bash(make)'],
  ];
  for (const projectRoot of ['/home/agent/.claude/worktrees/a', '/srv/secrets'])
    expect(bash('make', projectRoot, rules, { projectRoot })).toBe('allow rule_match');
});

test('a search in a folder is covered by a rule for that folder', () => {
  const rules: Rule[] = [['allow', 'Read(/lib/**)']];
  const outside = { projectRoot: '/elsewhere' };
  expect(outcomeOf('Glob', { pattern: '*.ts', path: '/elsewhere/lib/a' }, '/elsewhere', rules, outside)).toMatch(
    /^allow/,
  );
  expect(
    outcomeOf('Glob', { pattern: '../../x', path: '/elsewhere/lib/a' }, '/elsewhere', rules, {
      ...outside,
      mode: 'auto',
    }),
  ).toMatch(/^ask/);
});

test('the digest of an action holds its folder', () => {
  const action = { toolName: 'Bash', input: { command: 'make' } };
  const digests = [action, { ...action, cwd: '/a' }, { ...action, cwd: '/b' }].map(actionDigest);
  expect(new Set(digests).size).toBe(3);
});
