/** Every part of a command that may name a path (rules.md, "Paths"): words, and what follows `=`, `:`, `@`, `,` or an option's letter. */
import { globSegments } from '../paths/glob-word.ts';
import { scanCommandText } from '../paths/scan-command.ts';
import type { GlobToken } from '../text/glob.ts';
import { LOOSE, type ShellAnalysis, type ShellCommand } from './command.ts';
import { programOf } from './derive.ts';
import { type Field, fieldOf, globOf, UNKNOWN } from './fields.ts';
import { gitConfigTargets } from './git-config.ts';

export interface PathWord {
  readonly path: string;
  readonly glob?: readonly (readonly GlobToken[])[] | undefined;
  readonly dir: string;
  readonly access: 'read' | 'write';
}

/** Programs whose text arguments are messages or patterns, not code: a blank in one starts no new word. */
const TEXT_PROGRAMS: ReadonlySet<string> = new Set([
  'echo',
  'printf',
  'git',
  'gh',
  'glab',
  'grep',
  'egrep',
  'fgrep',
  'rg',
  'ag',
  'ack',
  'logger',
  'say',
  'notify-send',
  'jq',
  'test',
  '[',
  '[[',
  ':',
]);

/** Programs that change the files they name. */
const WRITERS: ReadonlySet<string> = new Set([
  'rm',
  'rmdir',
  'unlink',
  'shred',
  'mv',
  'cp',
  'install',
  'ln',
  'touch',
  'mkdir',
  'tee',
  'truncate',
  'chmod',
  'chown',
  'chgrp',
  'dd',
  'patch',
  'rsync',
  'scp',
  'split',
  'csplit',
  'mkfifo',
  'mknod',
  'setfacl',
  'chattr',
  'ed',
  'ex',
  'vim',
  'vi',
  'nano',
  'emacs',
  'sponge',
]);

const SEPARATORS = '=:@,';

function holdsSeparator(text: string): boolean {
  return text.includes('=') || text.includes(':') || text.includes('@') || text.includes(',');
}

/** The whole word and its parts; at most a few, so that a long word stays cheap. */
function partsOf(field: Field): Field[] {
  const { text, atoms } = field;
  if (!text.startsWith('-') && !holdsSeparator(text)) return text === '' ? [] : [field];
  const parts: Field[] = [field];
  if (text.length > 2 && text.startsWith('-') && !text.startsWith('--')) parts.push(fieldOf(atoms.slice(2)));
  let found = 0;
  for (let at = 0; at < atoms.length - 1 && found < 32; at++) {
    const atom = atoms[at];
    if (atom?.kind !== 'char' || !SEPARATORS.includes(atom.char)) continue;
    found += 1;
    parts.push(fieldOf(atoms.slice(at + 1)));
    // `a,.env,b`: the part up to the next separator too.
    const end = atoms.findIndex((each, index) => index > at && each.kind === 'char' && SEPARATORS.includes(each.char));
    if (end > at + 1) parts.push(fieldOf(atoms.slice(at + 1, end)));
    if (found === 1 && at > 0) parts.push(fieldOf(atoms.slice(0, at)));
  }
  return parts.filter((part) => part.text !== '');
}

/** A word with unknown parts names something only where a segment begins with two or more known characters, or is known. */
function namesSomething(field: Field): boolean {
  return field.text.split('/').some((segment) => {
    const at = segment.indexOf(UNKNOWN);
    return at < 0 ? segment !== '' : at >= 2 || segment.slice(segment.lastIndexOf(UNKNOWN) + 1).length >= 2;
  });
}

function wordsOf(field: Field, dir: string, access: PathWord['access']): PathWord[] {
  return partsOf(field)
    .filter((part) => part.known || namesSomething(part))
    .map((part) => ({ path: part.text, glob: globOf(part), dir, access }));
}

function hasBlank(text: string): boolean {
  return (
    text.includes(' ') ||
    text.includes('\n') ||
    text.includes('\t') ||
    text.includes('(') ||
    text.includes("'") ||
    text.includes('"')
  );
}

const FIND_NAMES: ReadonlySet<string> = new Set([
  '-name',
  '-iname',
  '-path',
  '-ipath',
  '-wholename',
  '-iwholename',
  '-lname',
  '-ilname',
]);

/** Patterns that the program itself matches against names, quoted for the shell: `find -name '.env*'`. */
function patternWords(command: ShellCommand, name: string): PathWord[] {
  if (name !== 'find' && name !== 'gfind' && name !== 'bfs') return [];
  return command.argv.flatMap((field, index) => {
    const option = command.argv[index - 1]?.text ?? '';
    return FIND_NAMES.has(option) ? textWords(field.text.replaceAll(UNKNOWN, '*'), command.dir) : [];
  });
}

/** Fields that were looked at, by directory and access: what a wrapper runs shares its words with the wrapper. */
type Seen = Map<string, Set<Field>>;

function commandWords(command: ShellCommand, seen: Seen): PathWord[] {
  const words: PathWord[] = [];
  const name = programOf(command.argv[0]) ?? '';
  const access = WRITERS.has(name) ? 'write' : 'read';
  const prints = TEXT_PROGRAMS.has(name);
  const known = seenIn(seen, `${access}${prints ? 'text' : ''}${command.dir}`);
  command.argv.forEach((field, index) => {
    if (index > 0 && known.has(field)) return;
    if (index > 0) known.add(field);
    if (index > 0 || field.text.includes('/') || field.text.startsWith('.'))
      words.push(...wordsOf(field, command.dir, access));
    if (index > 0 && hasBlank(field.text) && !prints) {
      for (const { path, glob } of scanCommandText(field.text.replaceAll(UNKNOWN, '*')))
        words.push({ path, glob, dir: command.dir, access });
    }
  });
  for (const { value } of command.assignments)
    if (value !== undefined) words.push(...wordsOf(value, command.dir, 'read'));
  words.push(...patternWords(command, name));
  for (const path of gitConfigTargets(command)) words.push({ path, dir: command.dir, access: 'write' });
  return words;
}

function seenIn(seen: Seen, key: string): Set<Field> {
  const found = seen.get(key) ?? new Set();
  seen.set(key, found);
  return found;
}

/** Each word once: wrappers show the words of one command again and again. */
function distinct(words: readonly PathWord[]): PathWord[] {
  const seen = new Map<string, PathWord>();
  for (const word of words) {
    const key = `${word.access}${word.dir}\0${word.glob === undefined ? '' : '*'}${word.path}`;
    if (!seen.has(key)) seen.set(key, word);
  }
  return [...seen.values()];
}

function looseWords(analysis: ShellAnalysis): PathWord[] {
  const dir = analysis.commands[0]?.dir ?? analysis.cwd;
  return scanCommandText(analysis.text).map(({ path, glob }) => ({ path, glob, dir, access: 'write' }));
}

/** All words of an analysis that may name a path, those of wrappers, code strings and loops included. */
export function pathWords(analysis: ShellAnalysis): PathWord[] {
  const words: PathWord[] = [];
  const seen: Seen = new Map();
  for (const command of analysis.commands) words.push(...commandWords(command, seen));
  let loose = false;
  for (const command of analysis.derived) {
    if (command.through === LOOSE) loose = true;
    else words.push(...commandWords(command, seen));
  }
  // A text that was read word by word has each of its words in many commands: they are looked at once.
  if (loose) words.push(...looseWords(analysis));
  for (const { field, dir } of analysis.words) words.push(...wordsOf(field, dir, 'read'));
  for (const { target, dir, access } of [...analysis.redirects, ...analysis.derivedRedirects]) {
    words.push({ path: target.text, glob: globOf(target), dir, access });
  }
  return distinct(words);
}

/** A literal text as a path word, its braces and globs read. */
export function textWords(text: string, dir: string): PathWord[] {
  return globSegments(text).map(({ path, glob }) => ({ path, glob, dir, access: 'read' }));
}
