/**
 * Finds the secrets of command lines by the programs that take them.
 * Words are read as a shell would part them, in one pass.
 */
import { type Found, kindOfName } from './marker.ts';
import { isSecretName } from './names.ts';
import { SECRET_OPTIONS, type SecretOptions } from './program-secrets.ts';
import { isNoSecret } from './values.ts';

interface Word {
  readonly start: number;
  /** Without the quotes around the whole of it. */
  readonly text: string;
}

/** A blank, an operator, or a word; a quote without its other half is none of them. */
const PART = /([ \t\r]+)|(\\\n|[\n;&|()<>]+)|((?:'[^'\n]{0,4096}'|"(?:[^"\\\n]|\\.){0,4096}"|\\.|[^\s;&|()<>'"\\])+)/gy;
/** A shell would replace or run these: people have to see them. */
const RUNS = /[`\n]|\$[({]/;
const MIN_SECRET = 3;
/** `config set NAME VALUE`, `export NAME VALUE`. */
const SETS: ReadonlySet<string> = new Set(['set', 'setx', 'setenv', 'config:set', 'set-secret', 'put']);
const SPEAKS: ReadonlySet<string> = new Set(['echo', 'printf', 'print', 'write-output']);
const MAX_WORDS = 4_096;

export function findInCommands(text: string): Found[] {
  const found: Found[] = [];
  let words: Word[] = [];
  /** Spoken into the pipe that the next command reads. */
  let spoken: readonly Word[] = [];
  let isHereString = false;
  const end = (operator: string): void => {
    if (isHereString) {
      isHereString = false;
      const [fed, ...rest] = words;
      words = rest;
      if (fed && reads(previous)) found.push(...spanOf(fed, fed.text, programOf(previous)));
    }
    found.push(...secretsOf(words));
    if (spoken.length && reads(words))
      found.push(...spoken.flatMap((word) => spanOf(word, word.text, programOf(words))));
    const first = words[0]?.text.toLowerCase() ?? '';
    spoken = operator === '|' && SPEAKS.has(first) ? words.slice(1).filter(({ text: one }) => !/^[-%]/.test(one)) : [];
    previous = words;
    isHereString = operator === '<<<';
    words = [];
  };
  let previous: readonly Word[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const from = PART.lastIndex;
    const match = PART.exec(text);
    if (!match) {
      PART.lastIndex = from + 1;
      continue;
    }
    const [, , operator, word] = match;
    if (operator !== undefined && operator !== '\\\n') end(operator);
    else if (word !== undefined && words.length < MAX_WORDS) words.push(unquoted(word, from));
  }
  end('');
  return found;
}

function unquoted(word: string, start: number): Word {
  const quote = word[0];
  const isQuoted = word.length > 1 && (quote === '"' || quote === "'") && word.indexOf(quote, 1) === word.length - 1;
  return isQuoted ? { start: start + 1, text: word.slice(1, -1) } : { start, text: word };
}

const nameOf = ({ text }: Word): string =>
  text
    .slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1)
    .replace(/\.exe$/i, '')
    .toLowerCase();

/** The last program of the command that is known here: the others only start it. */
function programOf(words: readonly Word[]): string {
  const name = words.map(nameOf).findLast((one) => SECRET_OPTIONS.has(one));
  return `password of ${kindOfName(name ?? 'a program')}`;
}

function reads(words: readonly Word[]): boolean {
  return words.some((word, at) =>
    SECRET_OPTIONS.get(nameOf(word))?.some(({ input, after }) => {
      const own = words.slice(at + 1).map(({ text }) => text);
      return input?.includes('*') || (input?.some((one) => own.includes(one)) && (!after || own.includes(after)));
    }),
  );
}

function secretsOf(words: readonly Word[]): Found[] {
  const found: Found[] = [];
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    const setter = words[at - 2];
    if (before && setter && SETS.has(setter.text.toLowerCase()) && isSecretName(lastName(before.text)))
      found.push(...spanOf(word, word.text, kindOfName(lastName(before.text))));
  }
  let at = words.findIndex((word) => SECRET_OPTIONS.has(nameOf(word)));
  while (at >= 0) {
    const program = words[at] as Word;
    const name = nameOf(program);
    const rest = words.slice(at + 1);
    const next = rest.findIndex((word) => SECRET_OPTIONS.has(nameOf(word)) && !word.text.startsWith('-'));
    const own = next < 0 ? rest : rest.slice(0, next);
    for (const options of SECRET_OPTIONS.get(name) ?? [])
      found.push(...secretsBy(options, own, `password of ${kindOfName(name)}`));
    at = next < 0 ? -1 : at + 1 + next;
  }
  return found;
}

/** Of `//registry.example/:_authToken` the last part. */
const lastName = (text: string): string => text.slice(text.lastIndexOf(':') + 1).slice(-64);

function secretsBy(options: SecretOptions, all: readonly Word[], kind: string): Found[] {
  const { next = [], joined, pair, cookies = [], after, operand, flag, prefix = '' } = options;
  const from = after === undefined ? 0 : all.findIndex(({ text }) => text.toLowerCase() === after) + 1;
  if (after !== undefined && from === 0) return [];
  const words = all.slice(from);
  const found: Found[] = [];
  const take = (word: Word, text: string): void => {
    if (text.startsWith(prefix)) found.push(...spanOf(word, text.slice(prefix.length), kind));
  };
  for (const [at, word] of words.entries()) {
    const { text } = word;
    const valued = (names: readonly string[]) => valueAt(words, at, names);
    const holder = (value: string): Word => (text.endsWith(value) && text !== value ? word : (words[at + 1] ?? word));
    const plain = valued(next);
    if (plain !== undefined && !plain.startsWith('-')) take(holder(plain), plain);
    const cookie = valued(cookies);
    if (cookie?.includes('=')) take(holder(cookie), cookie.slice(cookie.indexOf('=') + 1));
    const both = pair && (valued(pair.options) ?? joinedPair(text, pair.options));
    if (pair && both?.includes(pair.by)) {
      const secret = both.slice(both.indexOf(pair.by) + 1);
      if (!/^\d+$/.test(secret)) take(holder(both), secret);
    }
    const lead = joined && (joined.startsWith('/') ? joined : `-${joined}`);
    if (lead && text.startsWith(lead) && text.length > lead.length) take(word, text.slice(lead.length));
  }
  const last = operand === undefined ? undefined : secretOperand(words, operand, flag);
  if (last) take(last, last.text);
  return found;
}

/** The value of one of these options at a word: the next word, or the part behind `=`. */
function valueAt(words: readonly Word[], at: number, names: readonly string[]): string | undefined {
  const { text } = words[at] as Word;
  const name = names.find((one) => text === one || text.toLowerCase() === one);
  if (name !== undefined) return words[at + 1]?.text;
  return names.find((one) => one.length > 2 && text.startsWith(`${one}=`)) && text.slice(text.indexOf('=') + 1);
}

/** The operand that is a secret, counted from 1; 0 for the last one. */
function secretOperand(words: readonly Word[], operand: number, flag: string | undefined): Word | undefined {
  if (flag !== undefined && !hasFlag(words, flag)) return undefined;
  const operands = words.filter(({ text }) => !/^[-/]/.test(text) && !/^[A-Za-z]:$|^\\\\|^\*$/.test(text));
  if (operand !== 0) return operands[operand - 1];
  return flag?.startsWith('/') || operands.length > 1 ? operands.at(-1) : undefined;
}

/** `-ume:SECRET` */
const joinedPair = (text: string, options: readonly string[]): string | undefined =>
  options.some((one) => one.length === 2 && text.startsWith(one)) && text.length > 2 ? text.slice(2) : undefined;

const hasFlag = (words: readonly Word[], flag: string): boolean =>
  words.some(({ text }) =>
    flag.startsWith('/') ? text.toLowerCase().startsWith(flag) : /^-[A-Za-z0-9]+$/.test(text) && text.includes(flag),
  );

/** The end of the word; nothing if a shell would put something else in its place. */
function spanOf(word: Word, secret: string, kind: string): Found[] {
  if (secret.length < MIN_SECRET || RUNS.test(secret) || isNoSecret(secret) || secret.startsWith('$')) return [];
  const start = word.start + word.text.lastIndexOf(secret);
  return [{ start, end: start + secret.length, kind }];
}
