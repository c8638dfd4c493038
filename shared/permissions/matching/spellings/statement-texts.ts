/** Parts a text of SQL or of another language into its statements, each in one spelling. */

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
export const BLANKS: readonly ((text: string) => string)[] = [oneBlank, (text) => oneBlank(withoutComments(text))];

/** The name of an option stays: `--command='drop table x'`, `-e'drop table x'`. */
export function inValue(text: string, spell: (value: string) => string): string {
  const name = /^--?\w[\w-]*=|^--\w.*|^-\w/s.exec(text)?.[0] ?? '';
  return name + spell(text.slice(name.length));
}

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

const VERBS = 'alter|create|delete|drop|grant|insert|merge|replace|revoke|truncate|update';
export const CHANGES = new RegExp(`^\\s*(?:${VERBS})\\b`, 'i');
/** Where one begins within another: `with a as (select 1) delete …`, `explain analyze delete …`, `begin delete …`. */
const WITHIN = new RegExp(
  `\\b(?=(?:${VERBS}) )(?<=[()$] ?|\\b(?:begin|then|else|loop|try|as|instead|also|analyze|verbose) )`,
  'i',
);
/** Runs a text as a statement. */
const EXECUTES = /\b(?:exec|execute|sp_executesql|prepare)\b/i;
const RUNS_TEXT = /\b(?:exec|execute|sp_executesql|prepare|do)\b/i;
const JOINS = /\|\||\+|\bformat\b|\bconcat/i;

/** Puts a statement together that it runs: `execute format('drop table %I', x)`. */
export const buildsStatement = (text: string): boolean => EXECUTES.test(text) && JOINS.test(text);

/** `drop table a, b` drops each of them. */
const LIST = /^(\s*(?:drop \w+|truncate(?: table)?) (?:if exists )?)([^(]*,[^(]*)$/i;

/** Where one statement ends, or a comment. */
const END = /;|\\[gG]\b|\*\//;

/** Ends of a text that another statement runs, too. */
const TEXT_END = /;|['"$]/;

/** Each part, and each statement within one. */
const partsOf = (text: string, end: RegExp): readonly string[] =>
  text.split(end).flatMap((part) => [part, ...part.split(WITHIN).slice(1)]);

/** Quotes are no bound: escapes in them differ between databases, and a deny rule hears too much rather than too little. */
export function statementsIn(text: string, isSql: boolean): readonly string[] {
  const found = new Set<string>();
  const start = inValue(text, () => '');
  const value = text.slice(start.length);
  const texts = new Set(BLANKS.map((plain) => plain(value)));
  const ends = isSql && RUNS_TEXT.test(value) ? [END, TEXT_END] : [END];
  const parts = isSql ? [...texts].flatMap((each) => ends.flatMap((end) => partsOf(each, end))) : value.split(';');
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
