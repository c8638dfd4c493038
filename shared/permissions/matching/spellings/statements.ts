/** Spells code for a database or an interpreter as its statements, each alone and in one spelling. */
import { resolveCommand } from '../../programs/resolve.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import { ANYTHING, type Field, literalField } from '../../shell/syntax/fields.ts';
import { isOption } from './option-words.ts';

/** MySQL runs the text of a comment that begins with this. */
const RUN_COMMENT = /\/\*!\d*/g;

/** Between quotes none is a comment: callers look at the text as it stands, too. */
function withoutComments(text: string): string {
  const given = text.replace(RUN_COMMENT, ' ');
  let plain = '';
  let from = 0;
  for (let at = given.indexOf('/*'); at >= 0; at = given.indexOf('/*', from)) {
    const end = given.indexOf('*/', at + 2);
    // Without an end it is none, and no end is looked for again and again.
    if (end < 0) break;
    plain += `${given.slice(from, at)} `;
    from = end + 2;
  }
  plain += given.slice(from);
  const last = plain.lastIndexOf('\n') + 1;
  return plain.slice(0, last).replace(/(?:--|#)[^\n]*\n/g, ' ') + plain.slice(last);
}

const oneBlank = (text: string): string => text.replace(/\s+/g, ' ');

/** Blanks of SQL, without and with its comments. */
const BLANKS: readonly ((text: string) => string)[] = [oneBlank, (text) => oneBlank(withoutComments(text))];

/** The name of an option stays: `--command='drop table x'`, `-e'drop table x'`. */
function inValue(text: string, spell: (value: string) => string): string {
  const name = /^--?\w[\w-]*=|^--\w.*|^-\w/s.exec(text)?.[0] ?? '';
  return name + spell(text.slice(name.length));
}

export const hasAnyCase = (argv: readonly Field[]): boolean => resolveCommand(argv)?.program.anyCase === true;

/** Words that leave a statement what it is: a condition that is met, the usual schema, quotes around a name. */
const NEEDLESS = /\bif (?:not )?exists |\b(?:public|dbo|main)\.|["`]/g;

/** A word of a rule on such a program, and one statement of a command, in the spelling in which they are compared. */
export const plainStatement = (text: string): string =>
  inValue(text, (value) => endless(value.toLowerCase()).replace(NEEDLESS, '')).trim();

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

/** Without the mark at the end, which the last statement may lack. */
function endless(text: string): string {
  let end = text.length;
  while (/[\s;]/.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
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
const CHANGES = /^\s*(?:alter|create|delete|drop|grant|insert|merge|replace|revoke|truncate|update)\b/i;
/** `drop table a, b` drops each of them. */
const LIST = /^(\s*(?:drop \w+|truncate(?: table)?) (?:if exists )?)([^(]*,[^(]*)$/i;

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
  const ordered = [
    ...found.filter(({ text }) => CHANGES.test(text)),
    ...found.filter(({ text }) => !CHANGES.test(text)),
  ];
  return ordered
    .slice(0, MAX_STATEMENTS + 1)
    .map(({ at, text }, index) => argv.with(at, index < MAX_STATEMENTS ? literalField(text) : ANYTHING));
}

/** Where one statement ends, or a comment. */
const END = /;|\\[gG]\b|\*\//;

/** Quotes are no bound: escapes in them differ between databases, and a deny rule hears too much rather than too little. */
function statementsIn(text: string, isSql: boolean): readonly string[] {
  const found = new Set<string>();
  const start = inValue(text, () => '');
  const value = text.slice(start.length);
  const texts = new Set(BLANKS.map((plain) => plain(value)));
  const parts = isSql ? [...texts].flatMap((each) => each.split(END)) : value.split(';');
  for (const part of parts) {
    const [, verb, names] = (isSql && LIST.exec(part)) || [];
    const all = verb === undefined || names === undefined ? [part] : names.split(',').map((name) => verb + name.trim());
    for (const each of all) {
      const plain = isSql ? plainStatement(each) : each.trim();
      if (plain !== '' && start + plain !== text) found.add(start + plain);
    }
  }
  return [...found];
}
