/** Says whether a prefix covers an interpreter's words: a script file with harmless options. */
import type { Field } from '../shell/syntax/fields.ts';
import type { Interpreter } from './record/record.ts';
import { isStandardInput } from './standard-input.ts';

const ASKS_VERSION: ReadonlySet<string> = new Set(['--version', '-V', '--help', '-v']);

/** Something that is fetched or made rather than a file: `https://…`, `npm:…`, `data:…`. */
function isForeign(text: string): boolean {
  const lower = text.toLowerCase();
  // `@FILE` holds further words.
  return lower.includes('://') || lower.startsWith('@') || SCHEMES.some((scheme) => lower.startsWith(scheme));
}
const SCHEMES = ['http:', 'https:', 'npm:', 'jsr:', 'data:', 'blob:', 'node:'] as const;

/** The words are covered, or run a module of that name with the words behind it, or are not covered. */
type InterpreterCover =
  | { readonly kind: 'covered' }
  | { readonly kind: 'module'; readonly name: Field; readonly rest: readonly Field[] }
  | { readonly kind: 'no'; readonly why: string };

const no = (why: string): InterpreterCover => ({ kind: 'no', why });

const COVERED: InterpreterCover = { kind: 'covered' };

export function interpreterCover(name: string, spec: Interpreter, rest: readonly Field[]): InterpreterCover {
  const { operands = Number.POSITIVE_INFINITY } = spec;
  let read = 0;
  for (let at = 0; at < rest.length; at++) {
    const field = rest[at] as Field;
    const { text } = field;
    if (!field.isKnown || field.hasGlob) return no(`the script of ${name} is not literal`);
    if (text === '-m' && spec.modules === true) return moduleAt(name, rest, at + 1);
    if (ASKS_VERSION.has(text) && rest.length === 1) return COVERED;
    const kind = kindOf(text, spec);
    // The built-in test runner finds its files itself.
    if (kind === 'script' || (kind === 'option' && text === '--test')) read += 1;
    const why = problemOf({ kind, text, next: rest[at + 1], isSurplus: read > operands }, name, spec);
    if (why !== undefined) return no(why);
    if (kind === 'script' && spec.readsOn !== true) return COVERED;
    if (kind === 'value') at += 1;
  }
  return read > 0 ? COVERED : no(`${name} runs code from its input`);
}

function moduleAt(name: string, rest: readonly Field[], at: number): InterpreterCover {
  const named = rest[at];
  return named === undefined ? no(`${name} runs a module`) : { kind: 'module', name: named, rest: rest.slice(at) };
}

/** A word of the interpreter's own, an option with a value behind it, another option, or a script and its like. */
type WordKind = 'word' | 'value' | 'option' | 'script';

/** PowerShell takes any dash, and a slash. */
const WINDOWS_OPTION = /^(?:[\u2013-\u2015]|\/[A-Za-z]+$)/;

function kindOf(text: string, { words, values, ofWindows }: Interpreter): WordKind {
  if (ofWindows === true && WINDOWS_OPTION.test(text)) return 'option';
  if (words.has(text)) return 'word';
  if (values.has(text)) return 'value';
  return text.startsWith('-') || text.startsWith('+') ? 'option' : 'script';
}

/** Where the script stands whose arguments are all further words; -1 where that is not sure. */
export function scriptAt(argv: readonly Field[], spec: Interpreter): number {
  if (spec.readsOn === true || spec.operands !== undefined) return -1;
  for (let at = 1; at < argv.length; at++) {
    const { text } = argv[at] as Field;
    const kind = kindOf(text, spec);
    if (kind === 'script') return at;
    // `node --test` and `deno test` run each of their operands.
    if (kind === 'word' || (kind === 'option' && (text === '--test' || !spec.flags.has(text)))) return -1;
    if (kind === 'value') at += 1;
  }
  return -1;
}

/** `--test-name-pattern=x` */
function hasHarmlessValue(text: string, { values }: Interpreter): boolean {
  const end = text.indexOf('=');
  const name = text.slice(0, end);
  return text.startsWith('--') && values.has(name) && values.get(name)?.has(text.slice(end + 1)) !== false;
}

interface ScriptWord {
  readonly kind: WordKind;
  readonly text: string;
  readonly next: Field | undefined;
  /** More scripts stand before it than the interpreter reads. */
  readonly isSurplus: boolean;
}

/** Why the word may run, load or change something else; undefined where it does not. */
function problemOf({ kind, text, next, isSurplus }: ScriptWord, name: string, spec: Interpreter): string | undefined {
  switch (kind) {
    case 'word':
      return undefined;
    case 'value':
      return next?.isKnown !== true || spec.values.get(text)?.has(next.text) === false
        ? `the value of ${text} may change what ${name} runs`
        : undefined;
    case 'option':
      if (spec.code.has(text)) return `${name} runs code that is given as an argument`;
      return spec.flags.has(text) || hasHarmlessValue(text, spec)
        ? undefined
        : `the option ${text.slice(0, 40)} may change what ${name} runs`;
    case 'script':
      if (isStandardInput(text)) return `${name} runs code from its input`;
      return isForeign(text) || isSurplus ? `${name} runs code that is given as an argument` : undefined;
    default:
      return kind satisfies never;
  }
}
