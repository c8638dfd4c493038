/** Says what a prefix covers of interpreters and shells: a script file, with options that change neither what runs nor what is loaded. */
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
export type InterpreterCover =
  | { readonly kind: 'covered' }
  | { readonly kind: 'module'; readonly name: Field; readonly rest: readonly Field[] }
  | { readonly kind: 'no'; readonly why: string };

const no = (why: string): InterpreterCover => ({ kind: 'no', why });

export function interpreterCover(name: string, spec: Interpreter, rest: readonly Field[]): InterpreterCover {
  const { operands = Number.POSITIVE_INFINITY } = spec;
  let read = 0;
  for (let at = 0; at < rest.length; at++) {
    const field = rest[at] as Field;
    const { text } = field;
    if (!field.known || field.glob) return no(`the script of ${name} is not literal`);
    if (text === '-m' && spec.modules === true) {
      const named = rest[at + 1];
      return named === undefined
        ? no(`${name} runs a module`)
        : { kind: 'module', name: named, rest: rest.slice(at + 1) };
    }
    if (ASKS_VERSION.has(text) && rest.length === 1) return { kind: 'covered' };
    if (spec.words.has(text)) continue;
    if (spec.values.has(text)) {
      at += 1;
      const value = rest[at];
      if (value?.known !== true || spec.values.get(text)?.has(value.text) === false)
        return no(`the value of ${text} may change what ${name} runs`);
    } else if (text.startsWith('-') || text.startsWith('+')) {
      if (spec.code.has(text)) return no(`${name} runs code that is given as an argument`);
      if (!spec.flags.has(text)) return no(`the option ${text.slice(0, 40)} may change what ${name} runs`);
      // The built-in test runner finds its files itself.
      if (text === '--test') read += 1;
    } else {
      read += 1;
      if (isStandardInput(text)) return no(`${name} runs code from its input`);
      if (isForeign(text) || read > operands) return no(`${name} runs code that is given as an argument`);
      if (spec.readsOn !== true) return { kind: 'covered' };
    }
  }
  return read > 0 ? { kind: 'covered' } : no(`${name} runs code from its input`);
}
