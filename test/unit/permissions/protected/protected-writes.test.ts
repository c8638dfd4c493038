/**
 * Checks the paths that are protected by default (D49).
 *
 * Some are neither read nor written, some may be read, and some names hold no secret.
 */
import { describe, expect, test } from 'vitest';
import { ProtectedPathChecker } from '../../../../shared/permissions/index.ts';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import { WRITE_PROTECTED } from '../../../../shared/permissions/protected/protected-names.ts';
import { judge, type Rule, shell } from '../support.ts';

const ALL: Rule[] = ['Bash', 'Read', 'Edit', 'mcp__x__*'].map((name): Rule => ['allow', name]);
const outcomeOf = (toolName: string, input: object, more = {}): string => judge(toolName, input, ALL, more).verdict;
const reads = (path: string) => [outcomeOf('Read', { file_path: path }), outcomeOf('Bash', { command: `cat ${path}` })];
const writes = (path: string) => [
  outcomeOf('Write', { file_path: path, content: '' }, { mode: 'acceptEdits' }),
  outcomeOf('Edit', { file_path: path }, { mode: 'bypass' }),
  outcomeOf('Bash', { command: `echo x > ${path}` }),
  outcomeOf('Bash', { command: `cp a ${path}` }, { mode: 'bypass' }),
];
const only = (verdict: string, verdicts: readonly string[]) => expect([...new Set(verdicts)]).toEqual([verdict]);

describe('may be read and not written', () => {
  test.each(WRITE_PROTECTED.map((name) => name.replace('*', 'cjs')))('%s', (name) => {
    for (const path of [name, `pkg/${name}`, `${name}/x`, name.toUpperCase()]) {
      only('allow', reads(path));
      only('deny', writes(path));
    }
  });

  test('a search reads, and what is not known to read only may write', () => {
    expect(outcomeOf('Grep', { pattern: 'x', path: '.cursor' })).toBe('allow');
    expect(outcomeOf('Glob', { pattern: '.githooks/*' })).toBe('allow');
    expect(outcomeOf('mcp__x__any', { path: '.cursor/mcp.json' })).toBe('deny');
    const tools = createToolRegistry([{ name: 'mcp__x__any', permissions: ['Read', 'Network'] }]);
    expect(outcomeOf('mcp__x__any', { path: '.cursor/mcp.json' }, { tools })).toBe('allow');
  });

  test('a glob that writes counts, one that reads does not', () => {
    expect(outcomeOf('Bash', { command: 'rm -f .githooks/pre*' })).toBe('deny');
    expect(outcomeOf('Bash', { command: 'ls .githooks/pre*' })).toBe('allow');
  });

  test('the message says that reading is no matter', () => {
    const { message } = judge('Write', { file_path: 'countersign.yaml', content: '' }, ALL);
    expect(message).toBe(
      'The call may write a protected path (countersign.yaml). It may be read and not written, and no approval changes that.',
    );
    expect(judge('Read', { file_path: '.env' }, ALL).message).toContain('neither read nor written');
  });

  test.each([
    ['unzip ../h.zip', '/workspace/app/.githooks', 'ask'],
    ['cd .githooks && unzip ../h.zip', '/workspace/app', 'ask'],
    ['cd .cursor/rules; make', '/workspace/app', 'ask'],
    ['ls', '/workspace/app/pkg', 'allow'],
  ])('%s in %s: %s', (command, cwd, verdict) => {
    for (const mode of ['default', 'bypass']) expect(outcomeOf('Bash', { command }, { cwd, mode })).toBe(verdict);
  });

  test('more folders than anybody goes through ask', () => {
    const cds = (count: number) => Array.from({ length: count }, (_, index) => `cd d${index} && ls`).join(' && ');
    expect(outcomeOf('Bash', { command: cds(30) })).toBe('allow');
    expect(outcomeOf('Bash', { command: cds(40) })).toBe('ask');
  });

  test('a tool that may write asks there as well, one of files does not', () => {
    const cwd = '/workspace/app/.cursor';
    expect(outcomeOf('mcp__x__any', {}, { cwd })).toBe('ask');
    expect(outcomeOf('Read', { file_path: 'mcp.json' }, { cwd })).toBe('allow');
    expect(outcomeOf('Write', { file_path: '../a' }, { cwd })).toBe('allow');
    expect(outcomeOf('Write', { file_path: 'a' }, { cwd })).toBe('deny');
  });

  test('holds for the checker alone', () => {
    const checker = new ProtectedPathChecker();
    expect(checker.check('Read', { file_path: '.mise.toml' }).kind).toBe('Safe');
    expect(checker.check('Write', { file_path: '.mise.toml' }).kind).toBe('Protected');
    expect(checker.check('Bash', { command: 'cat .mise.toml' }, { shell }).kind).toBe('Safe');
    expect(checker.check('Bash', { command: 'tee .mise.toml' }, { shell }).kind).toBe('Protected');
  });
});

describe('neither read nor written', () => {
  test.each([
    ...['~/.kube/config', '~/.config/gh/hosts.yml', '~/.vault-token', '~/.azure/x', '~/.config/gcloud/x.json'],
    ...['~/.cargo/credentials.toml', '~/.cargo/credentials', '~/.bash_history', '~/.zsh_history', '~/.psql_history'],
    ...['~/.local/share/fish/fish_history', '/run/secrets/db', '/var/run/secrets/x', '/etc/shadow', '/etc/gshadow-'],
    ...['/proc/self/root/etc/shadow', '../../etc/shadow', '~/keys/id_ecdsa', 'id_dsa', 'id_ed25519_sk', 'id_rsa_work'],
    ...['id_ecdsa_sk', 'ID_RSA_2', 'work.ppk'],
  ])('%s', (path) => {
    only('deny', reads(path));
    only('deny', writes(path));
  });

  test.each(['cat /etc/shad*', 'cat ../../etc/sha*', 'cat /run/secr*/x', 'cat id_rsa_w*', 'cat ~/.kube/con*'])(
    '%s',
    (command) => expect(outcomeOf('Bash', { command })).toBe('deny'),
  );
});

describe('is not protected', () => {
  test.each([
    ...['.env.example', '.env.sample', '.env.template', 'pkg/.ENV.EXAMPLE', 'id_rsa_work.pub', 'id_rsa.pub'],
    ...['id_map.ts', 'src/id_generator.py', 'run/secrets/x', 'src/etc/shadow', 'fish/history', 'kube/config'],
    ...['.devcontainers', 'countersign.yaml.md', '.cargo/config.tom', '.config/ghx'],
  ])('%s', (path) => {
    only('allow', reads(path));
    only('allow', writes(path));
  });

  test.each(['ls *.ts', 'cat run/secr*', 'cat etc/sh*', 'ls i*x.ts'])('nor the glob of %s', (command) =>
    expect(outcomeOf('Bash', { command })).not.toBe('deny'),
  );

  test.each(['.env.example/.git/x', '.env.examples', '.env.example.local', '.env.example:x'])('but %s is', (path) =>
    expect(outcomeOf('Read', { file_path: path })).toBe('deny'),
  );

  test('what a deployment takes away by name', () => {
    const fewer = new ProtectedPathChecker().withoutPatterns(['countersign.yaml', '/etc/shadow', '.env.*']);
    const more = { protected: fewer };
    expect(outcomeOf('Write', { file_path: 'countersign.yaml', content: '' }, more)).toBe('allow');
    expect(outcomeOf('Read', { file_path: '/etc/shadow' }, more)).toBe('allow');
    expect(outcomeOf('Read', { file_path: '/etc/gshadow' }, more)).toBe('deny');
  });

  test('a name that a deployment adds is protected against both', () => {
    const more = { protected: new ProtectedPathChecker().withPattern('ledger.db') };
    expect(outcomeOf('Read', { file_path: 'ledger.db' }, more)).toBe('deny');
  });
});
