/** Defines the analysis of a shell command: every command that it would run, and every doubt about it. */
import { isPlainAscii, withoutIgnorable } from '../../text/characters.ts';
import type { GlobToken } from '../../text/glob.ts';
import type { Field } from './fields.ts';

export interface Assignment {
  readonly name: string;
  readonly value: Field | undefined;
  /** Written with `=`, to a name without a subscript. */
  readonly plain: boolean;
  /** Plain, and the value is one known text. */
  readonly literal: boolean;
}

export type Stdin =
  | { readonly kind: 'inherited' }
  | { readonly kind: 'pipe'; readonly from: readonly ShellCommand[] }
  /** `from` of a text that substitutions make. */
  | { readonly kind: 'text'; readonly text: string | undefined; readonly from?: readonly ShellCommand[] }
  /** `target` where it is certain which word names it. */
  | { readonly kind: 'file'; readonly target?: Field | undefined }
  | { readonly kind: 'process'; readonly from: readonly ShellCommand[] };

/** The commands whose output it is: through a pipe, `< <(COMMAND)` or `<<< "$(COMMAND)"`. */
export const sourcesOf = (stdin: Stdin): readonly ShellCommand[] =>
  stdin.kind === 'inherited' || stdin.kind === 'file' ? [] : (stdin.from ?? []);

export interface ShellCommand {
  readonly argv: readonly Field[];
  readonly assignments: readonly Assignment[];
  readonly stdin: Stdin;
  /** The directory in which relative paths start, after each `cd` before the command. */
  readonly dir: string;
  /** The directories in which relative paths start if a `cd` before the command has not worked. */
  readonly otherDirs: readonly string[];
  /** False after a `cd` that leaves the project root or cannot be known. */
  readonly dirAllowed: boolean;
  /** A wrapper or code string that it was found in; absent for a command of the text itself. */
  readonly foundIn?: string | undefined;
}

export interface ShellRedirect {
  readonly access: 'read' | 'write';
  readonly target: Field;
  readonly dir: string;
  readonly otherDirs: readonly string[];
  readonly dirAllowed: boolean;
}

export interface FreeWord {
  readonly field: Field;
  readonly dir: string;
  readonly otherDirs: readonly string[];
}

export interface PathWord {
  readonly path: string;
  readonly glob?: readonly (readonly GlobToken[])[] | undefined;
  readonly dir: string;
  /** `either` where it is not certain whether the command reads or writes the file. */
  readonly access: 'read' | 'write' | 'either';
  /** The word begins with this variable, which usually leads to the path. */
  readonly variable?: string | undefined;
}

export interface HumanClass {
  readonly code: 'decode-and-run' | 'critical-delete';
  readonly message: string;
}

/** `through` of commands that were only read word by word. */
export const FALLBACK = 'fallback';

export interface ShellAnalysis {
  readonly text: string;
  /** The directory in which the command starts. */
  readonly cwd: string;
  /** Commands of the text itself: an allow must cover each. */
  readonly commands: readonly ShellCommand[];
  /** Commands seen through wrappers and in code strings: deny and ask look at them too. */
  readonly unwrapped: readonly ShellCommand[];
  /** Redirections of the text itself: an allow must cover each. */
  readonly redirects: readonly ShellRedirect[];
  /** Every part of the text that may name a path. */
  readonly paths: readonly PathWord[];
  /** Paths to which variables of the text usually lead. */
  readonly usualPaths: readonly PathWord[];
  /** Steps that the analysis has cost (`WorkBudget`). */
  readonly steps: number;
  /** Reasons why the command is "not fully understood"; empty when it is understood. */
  readonly doubts: readonly string[];
  readonly human: readonly HumanClass[];
}

/** The words, joined by one blank. */
export function joinFields(argv: readonly Field[]): string {
  return argv.map((field) => field.text).join(' ');
}

/** The command word as deny rules compare it: base name, folded for case-insensitive and full-width spellings. */
export function programOf(field: Field | undefined): string | undefined {
  if (field === undefined || !field.isKnown) return undefined;
  return isBareName(field.text) ? field.text : baseNameOf(field);
}

/** The usual command word: small letters, digits, dashes and underscores. */
function isBareName(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x5f))
      return false;
  }
  return true;
}

function baseNameOf(field: Field): string {
  const text = isPlainAscii(field.text) ? field.text : withoutIgnorable(field.text).normalize('NFKC');
  let end = text.length;
  while (end > 1 && text[end - 1] === '/') end--;
  const name = text.slice(Math.max(text.lastIndexOf('/', end - 1), text.lastIndexOf('\\', end - 1)) + 1, end);
  return name.at(-4) === '.' && name.toLowerCase().endsWith('.exe') ? name.slice(0, -4) : name;
}
