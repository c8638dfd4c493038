/** Follows `cd` and `pushd`: the directory in which the commands after them run. */
import {
  behindProcLinks,
  fixedSegments,
  mayLeadByProc,
  segmentsOf,
  startsWithSegments,
} from '../../paths/normalise.ts';
import { recordNamed } from '../../programs/catalogue/index.ts';
import type { CommandRecord } from '../../programs/record/record.ts';
import type { Field } from '../syntax/fields.ts';
import { builtinWords } from './builtin-words.ts';

interface Directory {
  readonly path: string;
  readonly allowed: boolean;
}

/** The directories in which a command may run: `path` if every `cd` before it has worked, one of the others if one has not. */
export interface Directories extends Directory {
  readonly others: readonly string[];
}

/** A command that may run in more directories is not looked at in all of them, and is never allowed. */
export const MAX_FOLDERS = 8;

const NONE: readonly string[] = [];

/** The distinct paths besides `but`. Callers have a few paths only, so that a list is fast enough. */
function distinct(paths: readonly string[], but: string): readonly string[] {
  if (paths.length === 0) return NONE;
  const found: string[] = [];
  for (const path of paths) if (path !== but && !found.includes(path)) found.push(path);
  return found;
}

/** The directories before and after a command that may not have run, or may have failed. */
export function either(after: Directories, before: Directories): Directories {
  if (after === before) return before;
  const others = distinct([...after.others, before.path, ...before.others], after.path);
  const allowed = after.allowed && before.allowed && others.length < MAX_FOLDERS;
  return { path: after.path, allowed, others: others.slice(0, MAX_FOLDERS) };
}

/** The directories after a `cd` that works; the same object after any other command. `undefined`: too deep to follow. */
export function directoriesAfter(argv: readonly Field[], before: Directories, roots: Roots): Directories | undefined {
  const next = directoryAfter(argv, before, roots);
  if (next === undefined || next === before) return next === undefined ? undefined : before;
  const others: string[] = [];
  let { allowed } = next;
  // The folder behind a link of `/proc` is that of the shell itself.
  if (mayLeadByProc(next.path, { cwd: before.path }))
    others.push(`/${behindProcLinks(next.path, { cwd: before.path, home: roots.home }).join('/')}`);
  for (const path of before.others) {
    const other = directoryAfter(argv, { path, allowed: before.allowed }, roots);
    if (other === undefined) return undefined;
    others.push(other.path);
    allowed &&= other.allowed;
  }
  return { path: next.path, allowed, others: distinct(others, next.path) };
}

interface Roots {
  readonly projectRoot: string;
  readonly hasProjectRoot?: false | undefined;
  readonly home: string;
}

/** How the built-in changes the directory of the shell that runs it, if it does. */
export const moveOf = (name: string): CommandRecord['moves'] => recordNamed(name)?.moves;

/** `back`: to a folder of the text or of its stack. `given`: the caller's choice. `lost`: to one that the text chooses, and cannot be known. */
type MoveKind = 'none' | 'known' | 'back' | 'given' | 'lost';

export function kindOfMove(argv: readonly Field[]): MoveKind {
  const words = builtinWords(argv).argv;
  const move = moveOf(words[0]?.text ?? '');
  if (move === undefined) return 'none';
  const operands = operandsOf(words);
  if (move === 'back' || (move === 'either' && (operands.length === 0 || turns(words)))) return 'back';
  const [target] = operands;
  if (target === undefined) return 'known';
  if (target.text === '-') return 'back';
  const isPlain = target.isKnown && !target.text.startsWith('~');
  const atom = isPlain ? undefined : target.atoms[0];
  const isOne = !isPlain && target.atoms.length === 1;
  if (isOne && atom?.kind === 'var' && atom.name === 'OLDPWD') return 'back';
  if (operands.length > 1 || target.hasGlob) return 'lost';
  if (!target.isKnown)
    return isOne && (atom?.kind === 'var' || (atom?.kind === 'opaque' && atom.isOneWord)) ? 'given' : 'lost';
  return expandHome(target.text, '', atom?.kind === 'char' && !atom.quoted) === undefined ? 'lost' : 'known';
}

/** No shell reaches a longer path (POSIX `PATH_MAX`), and no real directory is deeper. */
const MAX_PATH = 4096;
const MAX_DEPTH = 128;

/**
 * Outside the root, or not literal: nothing later in the compound is allowed. Once lost, always lost.
 * Undefined for one that is too deep to follow.
 */
export function directoryAfter(argv: readonly Field[], before: Directory, roots: Roots): Directory | undefined {
  const words = builtinWords(argv).argv;
  const move = moveOf(words[0]?.text ?? '');
  if (move === undefined) return before;
  // The folders of the stack are not followed.
  if (move === 'back' || (move === 'either' && turns(words))) return { ...before, allowed: false };
  const operands = operandsOf(words);
  const target = operands[0];
  if (operands.length > 1 || (target !== undefined && (!target.isKnown || target.hasGlob || target.text === '-'))) {
    return { ...before, allowed: false };
  }
  const text = target?.text ?? roots.home;
  const unquotedTilde = target === undefined || (text.startsWith('~') && target.atoms[0]?.quoted === false);
  const path = expandHome(text, roots.home, unquotedTilde);
  if (path === undefined) return { ...before, allowed: false };
  if (path.length > MAX_PATH) return undefined;
  const next = segmentsOf(path.startsWith('/') ? path : `${before.path}/${path}`);
  if (next.length > MAX_DEPTH) return undefined;
  const inside = roots.hasProjectRoot !== false && startsWithSegments(next, fixedSegments(roots.projectRoot));
  return { path: `/${next.join('/')}`, allowed: before.allowed && inside };
}

/** `pushd +2`: an entry of the stack. */
const turns = (words: readonly Field[]): boolean => words.some(({ text }, index) => index > 0 && /^[+-]\d/.test(text));

/** `cd -P -- x`: behind two dashes every word is an operand. */
function operandsOf(words: readonly Field[]): readonly Field[] {
  const end = words.findIndex((field, index) => index > 0 && !isOption(field.text));
  if (end < 0) return [];
  return words.slice(words[end]?.text === '--' ? end + 1 : end).filter((field) => !isOption(field.text));
}

function isOption(text: string): boolean {
  return text.length > 1 && text.startsWith('-') && [...text.slice(1)].every((char) => 'LPe@n'.includes(char));
}

function expandHome(text: string, home: string, unquoted: boolean): string | undefined {
  if (!text.startsWith('~') || !unquoted) return text;
  if (text === '~' || text.startsWith('~/')) return home + text.slice(1);
  return undefined;
}
