/**
 * Checks that a recursive delete of a computed name asks in every mode (D14).
 *
 * A text may hand the name over in any way.
 */
import { describe, expect, test } from 'vitest';
import { judge } from '../support.ts';

const verdictOf = (command: string, mode: string) =>
  judge('Bash', { command }, [['allow', 'Bash']], { mode }, { classifier: { state: 'none' } }).verdict;

describe('asks in every mode', () => {
  test.each([
    "eval 'x=/'; rm -rf $x",
    'eval x=/; rm -rf "$x"',
    'eval \'d=$HOME\'; rm -rf "$d"',
    'eval \'set -- /\'; rm -rf "$1"',
    'eval \'set -- /\'; rm -rf "$@"',
    'eval "x=/"; eval "rm -rf \\$x"',
    "IFS=/; eval 'x=/'; rm -rf $x",
    'eval x=/ && find "$x" -delete',
    '. ./settings.sh; rm -rf "$d"',
    'source settings.sh; rm -rf "$d"/',
    "trap 'x=/' USR1; rm -rf $x",
    'x=/; y=$x; rm -rf "$y"',
    'x=/; y=$x; z=$y; rm -rf "$z"',
    'x=$HOME; rm -rf "$x"',
    'export A=/; B=$A; rm -rf "$B"',
    'A=/; export B=$A; rm -rf "$B"',
    'if true; then a=/; b=$a; fi; rm -rf "$b"',
    'x=/ sh -c \'rm -rf "$x"\'',
    'env x=/ sh -c \'rm -rf "$x"\'',
    'export x=/; bash -c \'rm -rf "$x"\'',
    'bash -c \'rm -rf "$1"\' _ /',
    'bash -c \'rm -rf "$@"\' _ /',
    'cd src; x=$OLDPWD; rm -rf "$x"',
    'cd src; x=${OLDPWD}; rm -rf "$x"',
    'cd src; x=$OLDPWD/; rm -rf $x',
    'cd src; x=$OLDPWD; y=$x; rm -rf "$y"/*',
    'cd src; for x in "$OLDPWD"; do rm -rf "$x"; done',
    'cd src; declare x=$OLDPWD; rm -rf "$x"',
    'cd src; export x="$OLDPWD"; rm -rf "$x"',
    'find "$(pwd)" -delete',
    'find "$(git rev-parse --show-toplevel)" -delete',
  ])('%s', (command) => {
    for (const mode of ['default', 'acceptEdits', 'bypass', 'auto']) expect(verdictOf(command, mode), mode).toBe('ask');
  });
});

describe('a name that is known is judged as that name', () => {
  test.each([
    ['B=out; D=$B; rm -rf "$D"', 'allow'],
    ['B=out; D=$B/x; rm -rf "$D"', 'allow'],
    ['B=; D=$B/usr; rm -rf "$D"', 'ask'],
    ['eval \'y=1\'; x=out; rm -rf "$x"', 'allow'],
    ['sh -c \'d=out; rm -rf "$d"\'', 'allow'],
    ["eval 'y=1'; rm -rf out", 'allow'],
    ['rm -rf "$BUILD"', 'allow'],
    ['B=$BUILD; rm -rf "$B"', 'allow'],
  ])('%s: %s in bypass', (command, verdict) => {
    expect(judge('Bash', { command }, [], { mode: 'bypass' }).verdict).toBe(verdict);
  });

  test('a deny rule sees it, too', () => {
    const rules = [['allow', 'Bash(cat:*)'] as const, ['deny', 'Read(secrets/**)'] as const];
    expect(judge('Bash', { command: 'a=sec; b="$a"rets; cat $b/key' }, rules).verdict).toBe('deny');
    expect(judge('Bash', { command: 'a=drafts; b=$a/x; cat $b/key' }, rules).verdict).toBe('allow');
  });

  test('a value that doubles again and again is not followed', () => {
    const command = `x=aaaaaaaa; ${'x=$x$x; '.repeat(40)}echo "$x"`;
    expect(judge('Bash', { command }, [['allow', 'Bash(echo:*)']]).verdict).not.toBe('error');
  });
});
