/** Spells code for a database or an interpreter as its statements, each alone and in one spelling. */
import { resolveCommand } from '../../programs/resolve.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';

/** Blanks of SQL, without and with its comments: between quotes none is a comment, and MySQL runs some. */
const BLANKS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/\s+/g, ' '),
  (text) => {
    // Behind the last line no end is looked for, again and again.
    const end = text.lastIndexOf('\n') + 1;
    const lines = text.slice(0, end).replace(/(?:\s|\/\*[^*]*\*\/|--[^\n]*\n)+/g, ' ');
    return (lines + text.slice(end)).replace(/(?:\s|\/\*[^*]*\*\/)+/g, ' ');
  },
];

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

/** Without the mark at the end, which the last statement may lack. */
function endless(text: string): string {
  let end = text.length;
  while (/[\s;]/.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}

/** `redis-cli FLUSHALL` is `redis-cli flushall`, and `drop  table` is `DROP TABLE`. */
export function inOtherCase(argv: readonly Field[]): readonly (readonly Field[])[] {
  if (!hasAnyCase(argv)) return [];
  const spelled = (spell: (text: string) => string): readonly Field[] =>
    argv.map((field, at) => (at === 0 || !field.isKnown ? field : literalField(inValue(field.text, spell))));
  return BLANKS.flatMap((plain) => [
    spelled((text) => plain(text).toLowerCase()),
    spelled((text) => plain(text).toUpperCase()),
  ]);
}

/** Statements of one call that are compared, those that change something before the others. */
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
    .slice(0, MAX_STATEMENTS)
    .map(({ at, text }) => [...argv.slice(0, at), literalField(text), ...argv.slice(at + 1)]);
}

/** Quotes are no bound: escapes in them differ between databases, and a deny rule hears too much rather than too little. */
function statementsIn(text: string, isSql: boolean): readonly string[] {
  const found: string[] = [];
  const start = inValue(text, () => '');
  const value = text.slice(start.length);
  for (const part of (isSql ? (BLANKS[1] as (text: string) => string)(value) : value).split(';')) {
    const [, verb, names] = (isSql && LIST.exec(part)) || [];
    const all = verb === undefined || names === undefined ? [part] : names.split(',').map((name) => verb + name.trim());
    for (const each of all) {
      const plain = isSql ? plainStatement(each) : each.trim();
      if (plain !== '' && start + plain !== text) found.push(start + plain);
    }
  }
  return found;
}
