/**
 * Checks that one command causes a bounded amount of work (G10, G34).
 *
 * Nesting and repeating do not raise the bound; parts that are not looked at are in doubt.
 */
import { describe, expect, test } from 'vitest';
import { PROGRAMS } from '../../../../shared/permissions/programs/catalogue/index.ts';
import { analyseCommand } from '../../../../shared/permissions/shell/analysis/analyse.ts';
import { MAX_STEPS } from '../../../../shared/permissions/shell/syntax/budget.ts';
import type { ShellAnalysis } from '../../../../shared/permissions/shell/syntax/command.ts';
import type { ShellParser } from '../../../../shared/permissions/shell/syntax/shell-parser.ts';
import { judge, shell } from '../support.ts';

const PLACE = { cwd: '/workspace/app', projectRoot: '/workspace/app', home: '/home/agent' };
const fill = (text: string, length = 9900) => text.repeat(Math.floor(length / text.length));
const numbered = (count: number, word: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => word(at)).join(' ');
const analyse = (command: string) => analyseCommand(command, shell, PLACE);

/** Analyses a text once for its two tests, whatever the mode: nothing but the text and its place is analysed. */
const analysed = new Map<string, ShellAnalysis>();
const sparing: ShellParser = {
  ...shell,
  analyse: (command, place) => {
    const key = JSON.stringify([command, place]);
    const known = analysed.get(key) ?? shell.analyse(command, place);
    analysed.set(key, known);
    return known;
  },
};
/** A last look may begin with one step left: it is at most a word of 10,000 characters, or 64 of 400. */
const MAX_WORK = MAX_STEPS + 26_000;

const loops = (depth: number) =>
  `${'for i in a b c d e f g h; do '.repeat(depth)}git status; ${'done; '.repeat(depth)}`;
const doubled = (depth: number) => `${'for ((;;)); do x $('.repeat(depth)}id${'); done'.repeat(depth)}`;

/** Each was quadratic, cubic or exponential in its length. */
const HEAVY: readonly (readonly [string, string])[] = [
  ['loops within loops', loops(7)],
  ['many loops within loops', loops(30)],
  ['loops in substitutions', `${'for i in a b c d e f g h; do x=$('.repeat(7)}id${'); done'.repeat(7)}`],
  ['arithmetic loops in substitutions', doubled(9)],
  ['wide loops', `for i in a b c d e f g h; do ${fill('git status; ')} done`],
  ['a wrapper with unknown options', `${fill('sudo -x ')}rm`],
  ['another one', `${fill('flock -q ')}rm`],
  ['wrappers', `${fill('xargs ')}a`],
  ['a runner', `npx ${fill('npx ')}`],
  ['words after --', `git add -- ${fill('rm ')}`],
  ['code words after --', `git ${fill('-- "a b" ')}`],
  ['shells as words', `npx ${fill('bash ')}`],
  ['ssh', fill('ssh a ')],
  ['watch', fill('watch ')],
  ['find in find', `${fill('find . -exec ')} id`],
  ['actions of find', `find ${fill('-exec a {} \\; ')}`],
  ['changes of directory', fill('cd a;')],
  ['a deep directory', `cd ${'a/'.repeat(2000)};${fill('cat a;', 5000)}`],
  ['a long variable', `x=${'a'.repeat(4000)}; echo ${fill('$x', 5800)}`],
  ['a long variable in many commands', `x=${'a'.repeat(4000)}; ${fill('a $x;', 1500)}`],
  ['braces', `cat ${fill('{a,b}{a,b}{a,b}{a,b}{a,b} ', 2000)}`],
  ['long words in braces', `cat ${fill(`{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}${'x'.repeat(360)} `)}`],
  ['separators', `cat ${fill('a/b:c=d:e=')}`],
  ['code after code', `eval ${fill('eval ')}`],
  ['code of echo', fill('printf a b c d e|bash;')],
  ['different globs', numbered(2000, (at) => `${at.toString(36)}*`)],
  ['globs of several segments', `ls ${numbered(600, (at) => `a${at}/*/b*/c?`)}`],
  ['a deep glob', `ls ${fill('*/')}`],
  ['any folders again and again', `ls ${fill('**/')}x`],
  ['short options of a runner', `npx ${fill('-q ')}`],
  ['short options of a script', `sed ${fill('-e p ')}`],
  ['a harmless wrapper', `${fill('env ')}a`],
  ['a wrapper with a value', `${fill('nice -n 5 ')}a`],
  ['words with a parameter', `git ${fill('$x ')}`],
  ['here-documents', fill('cat <<A\nx\nA\n', 5000)],
  ['redirections', `cat ${fill('>a ')}`],
  ['branches', `${'case a in b) '.repeat(150)}ls${';; esac'.repeat(150)}`],
  ['wrappers that are given code', fill('su -c ')],
  ['words before a built-in', fill('command -c ')],
  ['assignments', Array.from({ length: 700 }, (_, at) => `a${at}=$a${at - 1}x b`).join(';')],
];

describe('the work on one command', () => {
  test.each(HEAVY)('is bounded for %s', (_name, command) => {
    expect(command.length).toBeLessThanOrEqual(10_000);
    const { steps, unwrapped, paths, doubts } = sparing.analyse(command, { ...PLACE, dirAllowed: true });
    expect(steps).toBeLessThanOrEqual(MAX_WORK);
    // The work of later stages is bounded with it.
    expect(unwrapped.length).toBeLessThanOrEqual(12_000);
    expect(paths.reduce((sum, path) => sum + path.path.length, 0)).toBeLessThanOrEqual(MAX_WORK);
    if (steps > MAX_STEPS) expect(doubts).toContain('it makes too much to look at');
  });

  test.each(HEAVY)('ends in a verdict for %s', (_name, command) => {
    const rules = [
      ['allow', 'Bash'],
      ['allow', 'preset:read-only'],
    ] as const;
    for (const mode of ['default', 'acceptEdits'] as const)
      expect(judge('Bash', { command }, rules, { mode, shell: sparing }).code).not.toBe('internal');
  });

  test.each([
    ['redirections and dollars', '<sh -c $'],
    ['here-documents without an end', '<<E\n'],
  ])('the parser does not read a text over and over: %s', (_name, text) => {
    expect(shell.parse(fill(text))).toBeUndefined();
    // And it reads the next text from its beginning.
    expect(shell.parse('a | b')?.broken).toBe(false);
    expect(judge('Bash', { command: fill(text) }, [], { mode: 'bypass' }).verdict).toBe('ask');
  });

  test('a text is parsed whole, wherever its pieces part: within a character, too', () => {
    for (let at = 1000; at < 1050; at++) {
      const tree = shell.parse(`${'a'.repeat(at)}🙂 'b🙂' | c "$(d)"`);
      expect([tree?.broken, tree?.root.end]).toEqual([false, at + 19]);
    }
    expect(shell.parse(fill('cat <<A | b "$(c)"\nx\nA\n', 4900))?.broken).toBe(false);
  });

  test('a runner within runners ends in a verdict, however deep, and whatever rule names it', () => {
    const runs = PROGRAMS.flatMap(({ names: [name = ''], runner, subcommands }) => [
      ...(runner?.allow === 'named' ? [name] : []),
      ...[...(subcommands?.of ?? [])]
        .filter(([, { runner }]) => runner?.allow === 'named')
        .map(([sub]) => `${name} ${sub}`),
    ]);
    expect(runs.length).toBeGreaterThan(10);
    for (const run of [...runs, 'python -m', 'py -m'])
      expect(judge('Bash', { command: `${fill(`${run} `)}x` }, [['allow', `Bash(${run}:*)`]])).not.toHaveProperty(
        'code',
        'internal',
      );
  });

  test.each(['[a]*', '$[1+'])('is no parse where the parser would need seconds for many %s', (piece) => {
    expect(shell.parse(fill(piece, 1000))).toBeDefined();
    expect(shell.parse(fill(piece))).toBeUndefined();
    expect(judge('Bash', { command: `rm ${fill(piece)}` }, [['deny', 'Bash(rm:*)']]).verdict).toBe('deny');
  });

  test('is not multiplied by loops within loops', () => {
    for (const depth of [3, 6, 12]) expect(analyse(loops(depth)).commands.length).toBeLessThanOrEqual(32);
  });

  test('grows no faster than the command, for the usual kinds', () => {
    for (const text of ['cat a.ts; ', 'git add -- src/a.ts && ', 'cd src; ls; cd ..; ', 'echo "$x" | grep b; ']) {
      const once = analyse(`${fill(text, 1000)}ls`);
      const twice = analyse(`${fill(text, 2000)}ls`);
      expect(twice.doubts).toEqual([]);
      expect(twice.steps).toBeLessThanOrEqual(2.1 * once.steps + 200);
    }
  });

  test('beyond it a command is at least asked about, and deny rules still see its words', () => {
    const rules = [
      ['allow', 'Bash'],
      ['deny', 'Bash(rm:*)'],
    ] as const;
    for (const mode of ['default', 'bypass'] as const) {
      const wide = `cd ${'a'.repeat(200)} && foo ${fill('a=b:c,d ', 9000)}`;
      expect(analyse(wide).doubts).toEqual(['it makes too much to look at']);
      expect(judge('Bash', { command: wide }, rules, { mode }).verdict).toBe('ask');
      expect(judge('Bash', { command: `${fill('sudo -x ')}rm a` }, rules, { mode }).verdict).toBe('deny');
      expect(judge('Bash', { command: `${fill('cd a;')}cat .env` }, rules, { mode }).verdict).toBe('deny');
    }
  });

  test('more globs than anybody writes are at least asked about', () => {
    const rules = [['allow', 'Bash']] as const;
    for (const mode of ['default', 'bypass'] as const) {
      const few = `ls ${numbered(40, (at) => `src/a${at}*.ts`)}`;
      expect(judge('Bash', { command: few }, rules, { mode }).verdict).toBe('allow');
      const many = `ls ${numbered(600, (at) => `src/a${at}*.ts`)}`;
      expect(judge('Bash', { command: many }, rules, { mode }).verdict).toBe('ask');
      expect(judge('Bash', { command: `ls ${fill('*/', 200)}x` }, rules, { mode }).verdict).toBe('ask');
    }
  });

  test('a command within many wrappers is judged', () => {
    const outcome = judge('Bash', { command: `${fill('env ')}ls` }, [['allow', 'Bash']]);
    expect(outcome.verdict).toBe('ask');
  });

  test.each([
    ['many files', `git add -- ${fill('src/components/a.ts ', 9000)}`],
    ['many words', `cat ${fill('src/a.ts ')}`],
    ['many short words', `echo ${fill('a ')}`],
    ['many commands', fill('git status; ', 3500).slice(0, -2)],
    ['loops in loops', 'for a in 1 2 3; do for b in x y; do echo $a $b; done; done'],
    ['a loop', 'for a in 1 2 3 4 5 6 7 8; do echo $a; git status; ls; done'],
    ['a long message', `git commit -m '${fill('words of a long message, with more: ')}'`],
    ['changes of directory', 'cd src && cd a/b/c && ls && cd ../../.. && ls'],
  ])('suffices for %s', (_name, command) => {
    expect(judge('Bash', { command }, [['allow', 'Bash']]).verdict).toBe('allow');
  });

  test('every part of a word with many separators is looked at', () => {
    const command = `foo --files=${fill('a,', 200)}.env,b`;
    expect(judge('Bash', { command }, [['allow', 'Bash']]).verdict).toBe('deny');
  });

  test('values of loops within loops are followed as before', () => {
    const rules = [['deny', 'Bash(rm:*)']] as const;
    const command = 'for a in 1 2; do for c in ls rm; do $c x; done; done';
    expect(judge('Bash', { command }, rules).verdict).toBe('deny');
  });
});
