/** Checks globs that say no more of a protected name than a word with which many files begin. */
import { describe, expect, test } from 'vitest';
import type { CallContext } from '../../../../shared/permissions/call/call-context.ts';
import { FIRST_WORDS } from '../../../../shared/permissions/protected/first-words.ts';
import { DEFAULT_PROTECTED } from '../../../../shared/permissions/protected/protected-names.ts';
import { judge, type Rule } from '../support.ts';

const ALLOWED: readonly Rule[] = [
  ['allow', 'Bash'],
  ['allow', 'Edit'],
  ['allow', 'Glob'],
  ['allow', 'Grep'],
];
const run = (command: string, context: Partial<CallContext> = {}) =>
  judge('Bash', { command }, ALLOWED, context).verdict;
const among = (commands: readonly string[], wanted: string) => commands.filter((each) => run(each) !== wanted);

test('every word begins a protected name', () => {
  for (const [name, word] of FIRST_WORDS) {
    expect(DEFAULT_PROTECTED).toContain(name);
    expect(name.startsWith(word)).toBe(true);
  }
});

describe('a glob that says a first word', () => {
  test('means the files of the folder in front of it', () => {
    const everyday = [
      ...[
        'ls src/auth*',
        'ls src/a*',
        'ls src/*auth*',
        'ls ./src/auth*',
        'ls /workspace/app/src/auth*',
        'ls .github/auth*',
      ],
      ...['ls */auth*', 'ls src/**/auth*', 'ls {src,lib}/auth*', 'cd src && ls auth*', 'ls src/auth*/index.ts'],
      ...[
        'git add src/user*',
        'rm src/user*',
        'mv src/site* out/',
        'rm lib/open*',
        'rm src/left*',
        'git add src/counter*',
      ],
    ];
    expect(among(everyday, 'allow')).toEqual([]);
    expect(judge('Glob', { pattern: '**/*auth*' }, ALLOWED).verdict).toBe('allow');
    expect(judge('Grep', { pattern: 'x', glob: 'auth*' }, ALLOWED).verdict).toBe('allow');
  });

  test('asks at the root of the project, where the file would work', () => {
    expect(among(['ls auth*', 'rm user*', 'rm open*', 'rm counter*', 'rm /workspace/app/site*'], 'ask')).toEqual([]);
  });

  test('asks where a folder may be one of keys', () => {
    expect(among(['ls .*/auth*', 'ls src/.?*/auth*'], 'ask')).toEqual([]);
  });

  test('is denied where the folder is not certain, or lies elsewhere', () => {
    const elsewhere = [
      ...['ls ~/auth*', 'ls /auth*', 'ls ../auth*', 'ls /etc/auth*', 'ls /home/*/auth*', 'ls src/../../auth*'],
      ...['ls $D/auth*', 'ls src/$D/auth*', 'ls $(pwd)/auth*', 'cd ~; ls auth*', 'ls {}/auth*'],
    ];
    expect(among(elsewhere, 'deny')).toEqual([]);
    expect(run('ls src/auth*', { projectRoot: '/' })).toBe('deny');
    expect(run('ls src/auth*', { home: '/workspace/app/home' })).toBe('deny');
    expect(run('ls src/auth*', { hasProjectRoot: false })).toBe('deny');
  });

  test('asks where a program looks in any folder below those that it is given', () => {
    const patterns = ["find / -path '*/auth*'", "fd -p -g '*/auth*' ~", "rg -g '**/auth*' x ~"];
    expect(among(patterns, 'ask')).toEqual([]);
    expect(among(["find src -path '*/node_modules/*'", "git add '*/auth*'", "rg -g 'src/auth*' x"], 'allow')).toEqual(
      [],
    );
  });

  test('counts as the name by any letter behind that word, as names without such a word do by three', () => {
    const says = [
      ...['ls src/authorized_*', 'ls src/*_keys', 'ls src/a*keys', 'ls src/auth???????????', 'ls src/authorized_keys'],
      ...['rm src/userc*', 'rm src/usercustomize*', 'rm src/counters*', 'cat src/id_*', 'cat src/id_r*', 'rm src/.e*'],
    ];
    expect(among(says, 'deny')).toEqual([]);
  });

  test('follows a link that is known', () => {
    const fs = { symlinks: { '/workspace/app/src/k': '/home/agent/.ssh' } };
    expect(run('ls src/k/auth*', { fs })).toBe('deny');
    expect(run('ls src/*/auth*', { fs })).not.toBe('allow');
  });
});
