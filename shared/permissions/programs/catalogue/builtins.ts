/** Records built-ins of shells: those that change nothing, and those that run or define code. */
import type { Field } from '../../shell/syntax/fields.ts';
import { ANY_OPTION } from '../record/options.ts';
import { NEVER, netOptions, type ProgramRecord, program, programs, RUNS, runner, set } from '../record/record.ts';
import { isHarmlessVariable } from './names/variables.ts';
import { signalSpellings } from './signals.ts';

const ANY: Pick<ProgramRecord, 'options'> = { options: ANY_OPTION };
const always = (): boolean => true;
const allKnown = (words: readonly Field[]): boolean => words.every((field) => field.isKnown && !field.hasGlob);
const isNumber = (text: string): boolean => text !== '' && [...text].every((char) => char >= '0' && char <= '9');

/** `set -euo pipefail`: how the text itself fails or is traced. `set -- a` gives parameters values, `-a` exports and `-k` reads assignments. */
function isHarmlessSet(words: readonly Field[]): boolean {
  const names = set('pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace posix');
  return (
    words.length > 0 &&
    allKnown(words) &&
    words.every(({ text }, at) => {
      const isOption = (text.startsWith('-') || text.startsWith('+')) && text.length > 1 && !text.startsWith('--');
      if (isOption) return [...text.slice(1)].every((letter) => 'euxvfCETo'.includes(letter));
      return names.has(text) && (words[at - 1]?.text ?? '').endsWith('o');
    })
  );
}

/** `read -r line`: plain names, and options without a name or a time in them. */
const isPlainRead = (words: readonly Field[]): boolean =>
  allKnown(words) &&
  words.every(({ text }) => (text.startsWith('-') ? /^-[rs]+$/.test(text) : /^[a-z_][a-z0-9_]*$/.test(text)));

export const BUILTINS: readonly ProgramRecord[] = [
  ...programs('true false :', { ...ANY, reads: true, free: always, paths: { text: true } }),
  // The names are files, and no more than whether they exist and of which kind they are is told. Texts are compared with nothing.
  program('test [ [[', { ...ANY, reads: true, free: always, paths: { texts: set('-n -z'), compared: set('= == !=') } }),
  program('exit', { ...ANY, reads: true, free: (words) => words.every(({ text }) => isNumber(text)) }),
  ...programs('return break continue', { ...ANY, reads: true, free: allKnown }),
  program('wait', {
    ...ANY,
    variables: { kind: 'option', option: '-p' },
    reads: true,
    free: (words) => allKnown(words) && words.every(({ text }) => isNumber(text) || text.startsWith('%')),
  }),
  program('pwd', {
    ...ANY,
    reads: true,
    free: always,
    printsLocation: (words) => words.every((word) => word.startsWith('-')),
  }),
  ...programs('cd chdir', { ...ANY, reads: true, moves: 'to' }),
  // `pushd +1` turns the stack.
  program('pushd', { ...ANY, reads: true, moves: 'either' }),
  program('popd', { ...ANY, reads: true, moves: 'back' }),
  program('dirs', { ...ANY, reads: true, free: (words) => words.length === 0 }),
  program('set', { grant: 'never', free: isHarmlessSet, variables: { kind: 'parameters' } }),
  program('read', { ...ANY, free: isPlainRead, variables: { kind: 'operands', values: 'dinNptu' } }),
  program('type', { ...ANY, reads: true, free: allKnown, paths: { text: true } }),
  program('hash', {
    grant: 'never',
    commandOptions: set('-p'),
    free: (words) => words.length === 1 && words[0]?.text === '-r',
  }),
  program('umask', { ...ANY, free: (words) => words.length === 0 }),
  ...programs('times ulimit', { ...ANY, free: (words) => words.length === 0 }),
  program('echo', { ...ANY, reads: true, prints: true, paths: { text: true } }),
  program('printf', {
    ...ANY,
    reads: true,
    prints: true,
    paths: { text: true },
    variables: { kind: 'option', option: '-v' },
  }),
  program('getopts', { ...ANY, variables: { kind: 'operands', values: '' } }),
  program('shift', { ...ANY, variables: { kind: 'parameters' } }),
  ...programs('kill pkill killall', {
    options: ANY_OPTION,
    paths: { text: true },
    spellings: signalSpellings,
    each: true,
  }),
  program('jobs', { commandOptions: set('-x'), options: netOptions('-x') }),
  ...programs('mapfile readarray', {
    commandOptions: set('-C'),
    options: netOptions('-C'),
    runsHere: 'words',
    variables: { kind: 'operands', values: 'cCdnOsu' },
  }),
  ...programs('eval trap', { grant: 'never', evaluates: true, runsHere: 'words', variables: { kind: 'any' } }),
  ...programs('source .', { grant: 'never', evaluates: true, runsHere: 'file', variables: { kind: 'any' } }),
  ...programs('bind complete compgen fc', { grant: 'never', evaluates: true, runsHere: 'words' }),
  program('PROMPT_COMMAND', { grant: 'never', evaluates: true }),
  program('alias', { grant: 'never', evaluates: true, changesReading: true }),
  ...programs('enable shopt setopt unsetopt', { grant: 'never', changesReading: true }),
  program('emulate', { grant: 'never', changesReading: true, commandOptions: set('-c') }),
  program('export', { grant: 'never', declares: 'sets', free: setsHarmless }),
  ...programs('declare typeset local readonly', { grant: 'never', declares: 'sets' }),
  program('unset', { grant: 'never', declares: 'unsets' }),
  ...programs('unalias function', NEVER),
  program('dlx', RUNS),
  ...programs('let select', { grant: 'never', variables: { kind: 'operands', values: '' } }),
  program('command', {
    grant: 'never',
    runner: runner('never', { flags: '-p' }),
    runsBuiltins: true,
    free: asksWhere,
  }),
  program('builtin', { grant: 'never', runner: runner('never'), runsBuiltins: true }),
  program('exec', {
    grant: 'never',
    runner: runner('never', { values: '-a', flags: '-c -l' }),
    runsBuiltins: true,
    variables: { kind: 'any' },
  }),
  ...programs('coproc noglob nocorrect', { grant: 'never', runner: runner('never'), runsBuiltins: true }),
];

/** `export NODE_ENV=test`: what a command may be given, all commands may. */
function setsHarmless(words: readonly Field[]): boolean {
  return (
    words.length > 0 &&
    allKnown(words) &&
    words.every(({ text }) => {
      const equals = text.indexOf('=');
      return equals > 0 && isHarmlessVariable(text.slice(0, equals), text.slice(equals + 1));
    })
  );
}

/** `command -v node` says where a command is, and runs nothing. */
function asksWhere(words: readonly Field[]): boolean {
  const [option, ...names] = words;
  return (option?.text === '-v' || option?.text === '-V') && allKnown(names);
}
