/** Spells code for a database or an interpreter as its statements, each alone and in one spelling. */
import { resolveCommand } from '../../programs/resolve.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import { ANYTHING, type Field, literalField } from '../../shell/syntax/fields.ts';
import { isOption } from './option-words.ts';
import { BLANKS, buildsStatement, CHANGES, inValue, plainStatement, statementsIn } from './statement-texts.ts';

export const hasAnyCase = (argv: readonly Field[]): boolean => resolveCommand(argv)?.program.anyCase === true;

/** The rule in small letters; `psql -c drop table:*` names one value that begins so. */
export function inSmallLetters(spec: CommandSpec): readonly CommandSpec[] {
  let forms = inSmall.get(spec);
  if (forms === undefined) {
    const words = spec.words.map(plainStatement);
    forms = [spelled(spec, words, spec.form), ...withOneValue(spec, words)];
    inSmall.set(spec, forms);
  }
  return forms;
}

/** A rule is compared with many commands. */
const inSmall = new WeakMap<CommandSpec, readonly CommandSpec[]>();

export function spelled(spec: CommandSpec, words: readonly string[], form: CommandSpec['form']): CommandSpec {
  const text =
    words.join(' ') + (form === 'wildcard' && (spec.form === 'prefix' || spec.text.endsWith(':*')) ? ':*' : '');
  return { ...spec, form, words, text, unquoted: text };
}

function withOneValue(spec: CommandSpec, words: readonly string[]): readonly CommandSpec[] {
  const at = spec.form === 'prefix' ? words.findLastIndex(isOption) : -1;
  const value = words.slice(at + 1).join(' ');
  if (at < 1 || value === '') return [];
  const start = words.slice(0, at + 1);
  return [spelled(spec, [...start, value], 'prefix'), spelled(spec, [...start, `${value} *`], 'wildcard')];
}

/** `--command='drop table x'` and `-c'drop table x'` in two words. */
const parted = (argv: readonly Field[]): readonly Field[] =>
  argv.flatMap((field, at) => {
    const start = at === 0 || !field.isKnown ? '' : inValue(field.text, () => '');
    return start === '' || start === field.text
      ? [field]
      : [literalField(start.replace(/=$/, '')), literalField(field.text.slice(start.length))];
  });

/** `redis-cli FLUSHALL` is `redis-cli flushall`, and `drop  table` is `DROP TABLE`. */
export function inOtherCase(argv: readonly Field[]): readonly (readonly Field[])[] {
  if (!hasAnyCase(argv)) return [];
  const read = (words: readonly Field[], spell: (text: string) => string): readonly Field[] =>
    words.map((field, at) => (at === 0 || !field.isKnown ? field : literalField(inValue(field.text, spell))));
  const apart = parted(argv);
  return [argv, ...(apart.length > argv.length ? [apart] : [])].flatMap((words) =>
    BLANKS.flatMap((plain) => [
      read(words, (text) => plain(text).toLowerCase()),
      read(words, (text) => plain(text).toUpperCase()),
    ]),
  );
}

/** Statements of one call that are compared, those that change something before the others. One of more may be any. */
const MAX_STATEMENTS = 32;

/** `psql -c 'begin; drop table "users";'` as `psql -c 'drop table users'`, and `node -e 'a(); b();'` as `node -e 'b()'`. */
export function asStatements(argv: readonly Field[]): readonly (readonly Field[])[] {
  const program = resolveCommand(argv)?.program;
  if (program === undefined) return [];
  const isSql = program.anyCase === true;
  if (!isSql && (program.interpreter === undefined || program.interpreter.shell === true)) return [];
  const found = argv.flatMap((field, at) =>
    at === 0 || !field.isKnown || !(isSql || field.text.includes(';'))
      ? []
      : statementsIn(field.text, isSql).map((text) => ({ at, text })),
  );
  const isBuilt = ({ text, isKnown }: Field): boolean => isSql && isKnown && buildsStatement(text);
  const ordered = [
    ...found.filter(({ text }) => CHANGES.test(text)),
    ...found.filter(({ text }) => !CHANGES.test(text)),
  ];
  return [
    ...ordered
      .slice(0, MAX_STATEMENTS + 1)
      .map(({ at, text }, index) => argv.with(at, index < MAX_STATEMENTS ? literalField(text) : ANYTHING)),
    ...(argv.some(isBuilt) ? [argv.map((field) => (isBuilt(field) ? ANYTHING : field))] : []),
  ];
}
