/** Checks that a deny rule hears other operands and names that mean the same. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

/** Under an allow for the whole program, where a deny that is not heard would let the command pass. */
function underDeny(denied: string, command: string): string {
  const program = command.split(' ')[0];
  const rules: Rule[] = [
    ['allow', `Bash(${program}:*)`],
    ['allow', `Bash(${program} ${command.split(' ')[1]}:*)`],
    ['deny', `Bash(${denied})`],
  ];
  return commandVerdict(command, rules);
}

describe('a branch is pushed under every name', () => {
  test.each([
    ['git push origin HEAD:main'],
    ['git push origin +main'],
    ['git push origin :main'],
    ['git push origin refs/heads/main'],
    ['git push origin HEAD:refs/heads/main'],
    ['git push origin dev main'],
    ['git push -u origin HEAD:main'],
    ['git push -o ci.skip origin HEAD:main'],
    ['git -C sub push origin HEAD:main'],
  ])('%s', (command) => {
    expect(underDeny('git push origin main:*', command)).toBe('deny');
  });

  test.each([
    ['git push origin main:dev'],
    ['git push origin maintenance'],
    ['git push origin feature/main'],
    ['git push origin HEAD:dev'],
  ])('and no other branch is: %s', (command) => {
    expect(underDeny('git push origin main:*', command)).not.toBe('deny');
  });

  test('a plus forces', () => {
    expect(underDeny('git push --force origin main:*', 'git push origin +HEAD:main')).toBe('deny');
    expect(underDeny('git push --force origin main:*', 'git push origin HEAD:main')).not.toBe('deny');
  });
});

describe('a push that names no branch may be of one that a rule denies', () => {
  test.each([
    ['git push'],
    ['git push origin'],
    ['git push --all'],
    ['git push --al origin'],
    ['git push --branches origin'],
    ['git push --mirror origin'],
    ['git push origin :'],
    ['git push origin HEAD'],
    ['git push -u origin @'],
    ["git push origin 'refs/heads/*'"],
    ["git push origin '+refs/*:refs/*'"],
    ["git push origin 'HEAD:refs/heads/m*n'"],
    ['git push origin HEAD:$BRANCH'],
    ['git push origin x$BRANCH'],
    ['git push -o ci.skip origin dev HEAD'],
  ])('%s', (command) => {
    for (const denied of ['git push origin main:*', 'git push origin main', 'git push * main', 'git push *main*'])
      expect(underDeny(denied, command)).toBe('ask');
  });

  test.each([
    ['git push origin dev'],
    ['git push --tags origin'],
    ['git push origin tag v1'],
    ["git push origin 'refs/heads/dev-*'"],
    ['git push origin HEAD:dev-$BRANCH'],
    ['git push upstream'],
    ['git push -o HEAD origin dev'],
  ])('and not: %s', (command) => {
    expect(underDeny('git push origin main:*', command)).toBe('allow');
  });

  test.each([
    ['git push --force:*'],
    ['git push --force origin main:*'],
    ['git push --delete:*'],
    ['git push --tags:*'],
  ])('a rule on an option leaves the usual push: %s', (denied) => {
    expect(underDeny(denied, 'git push')).toBe('allow');
    expect(underDeny(denied, 'git push -u origin HEAD')).toBe('allow');
  });

  test('a mirror forces and deletes, and so does nothing before a colon', () => {
    expect(underDeny('git push --force:*', 'git push --mirror origin')).toBe('deny');
    expect(underDeny('git push --delete:*', 'git push --mirror')).toBe('deny');
    expect(underDeny('git push --delete:*', 'git push origin :dev')).toBe('deny');
  });
});

describe('a host is the same with a login before it', () => {
  test.each([
    ['ssh prod:*', 'ssh root@prod'],
    ['ssh prod:*', 'ssh -p 22 root@prod'],
    ['ssh prod:*', 'ssh ssh://root@prod:22'],
    ['scp * prod:/*', 'scp a root@prod:/x'],
  ])('%s: %s', (denied, command) => {
    expect(underDeny(denied, command)).toBe('deny');
  });

  test('and another host is another', () => {
    expect(underDeny('ssh prod:*', 'ssh root@dev')).not.toBe('deny');
  });
});

describe('a name of the program, and the beginning of an option', () => {
  test.each([
    ['python3 -m pytest:*', 'python -m pytest'],
    ['pip3 install:*', 'pip install x'],
    ['apt-get install:*', 'apt install x'],
    ['apt install:*', 'apt-get install x'],
    ['rm -rf:*', 'rm --rec --fo src/x'],
    ['sed -i:*', 'sed --in -n p src/x'],
  ])('%s: %s', (denied, command) => {
    expect(underDeny(denied, command)).toBe('deny');
  });

  test.each([
    ['rm -rf:*', 'rm -r src/x'],
    ['sed -i:*', 'sed -n p src/x'],
    ['git commit --amend:*', 'git commit -am "x"'],
    ['grep --include:*', 'grep -in x src/x'],
    ['pytest --exitfirst:*', 'pytest -ex'],
    ['git diff --stat:*', 'git diff -st'],
  ])('%s leaves %s', (denied, command) => {
    expect(underDeny(denied, command)).not.toBe('deny');
  });
});
