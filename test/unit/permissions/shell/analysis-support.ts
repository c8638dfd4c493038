/** Prints the analysis of a command in a few short lines. */
import { analyseCommand } from '../../../../shared/permissions/shell/analysis/analyse.ts';
import { FALLBACK, type PathWord, type ShellCommand } from '../../../../shared/permissions/shell/syntax/command.ts';
import type { Field } from '../../../../shared/permissions/shell/syntax/fields.ts';
import { UNKNOWN } from '../../../../shared/permissions/text/unknown.ts';
import { shell } from '../support.ts';

const ROOT = '/workspace/app';
const PLACE = { cwd: ROOT, projectRoot: ROOT, home: '/home/agent' };

/** `…` for what only the shell knows; quotes where a word would not stand alone. */
function written(text: string): string {
  const shown = text.replaceAll(UNKNOWN, '…');
  return /^[^\s'"»|]+$/u.test(shown) ? shown : JSON.stringify(shown);
}

/** `?`: a glob. */
const wordOf = (field: Field): string => written(field.text) + (field.hasGlob ? '?' : '');

/** `!`: a rule covers nothing there; `|`: where it runs if a `cd` before it has not worked. */
const placeOf = (dir: string, allowed = true, others: readonly string[] = []): string =>
  dir === ROOT && allowed && others.length === 0 ? '' : `${[dir, ...others].join('|')}${allowed ? '' : '!'} `;

function commandOf({ argv, assignments, stdin, dir, otherDirs, dirAllowed, foundIn }: ShellCommand): string {
  const set = assignments.map(
    ({ name, value, literal }) => `${name}${literal ? '=' : ':='}${value === undefined ? '' : wordOf(value)}`,
  );
  const input = stdin.kind === 'inherited' ? [] : [`<${stdin.kind}`];
  return `${placeOf(dir, dirAllowed, otherDirs)}${foundIn ?? ''}$ ${[...set, ...argv.map(wordOf), ...input].join(' ')}`;
}

function pathOf({ path, glob, dir }: PathWord): string {
  const tokens = glob?.map((segment) =>
    segment.map((token) => (token.kind === 'char' ? token.char : token.kind === 'run' ? '*' : '?')).join(''),
  );
  return placeOf(dir) + written(path) + (tokens === undefined ? '' : `»${tokens.join('/')}`);
}

/** Commands, those seen through others behind `>`, those of a text that was read word by word, redirections, paths that are read or written, doubts, what is for a person. */
export function linesOf(command: string): string[] {
  const analysed = analyseCommand(command, shell, PLACE);
  const paths = (access: string) => analysed.paths.filter((each) => each.access === access).map(pathOf);
  const listed = (name: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${name} ${items.join(' | ')}`];
  return [
    ...analysed.commands.map(commandOf),
    ...analysed.unwrapped.filter(({ foundIn }) => foundIn !== FALLBACK).map((each) => `> ${commandOf(each)}`),
    ...listed(
      'words',
      analysed.unwrapped.filter(({ foundIn }) => foundIn === FALLBACK).map(({ argv }) => argv.map(wordOf).join(' ')),
    ),
    ...analysed.redirects.map(
      ({ access, target, dir, dirAllowed }) => `${access} to ${placeOf(dir, dirAllowed)}${wordOf(target)}`,
    ),
    ...listed('reads', paths('read')),
    ...listed('writes', paths('write')),
    // By a program of which it is not certain what it does to them.
    ...listed('uses', paths('either')),
    ...listed('doubts', analysed.doubts),
    ...listed(
      'people',
      analysed.human.map(({ code }) => code),
    ),
  ];
}
