/** Finds the secrets among the words of one program: values of its options, and operands. */
import { isNoSecret } from '../readers/values.ts';
import type { SecretOptions } from '../tables/program-secrets.ts';
import type { SecretSpan } from '../text/marker.ts';
import { sqlPasswords } from './sql.ts';

/** A word of a command line. */
export interface Word {
  readonly start: number;
  /** Without the quotes around the whole of it. */
  readonly text: string;
}

/** A shell would replace or run these: people have to see them. */
const RUNS = /[`\n]|\$[({]/;
const MIN_SECRET = 3;

/** The secrets that a program takes in these words, by one of its records. */
export function secretsBy(options: SecretOptions, all: readonly Word[], kind: string): SecretSpan[] {
  const { after, prefix = '' } = options;
  const before = after?.split(' ') ?? [];
  const from = all.findIndex((_, at) => before.every((word, next) => all[at + next]?.text.toLowerCase() === word));
  if (from < 0) return [];
  const words = all.slice(from + before.length);
  const found: SecretSpan[] = [];
  const take = (word: Word, text: string): void => {
    if (text.startsWith(prefix)) found.push(...spanOf(word, text.slice(prefix.length), kind));
  };
  takeOptions(options, words, take);
  takeOperands(options, words, take);
  for (const { start, text } of options.sql ? words : [])
    for (const one of sqlPasswords(text, kind)) found.push({ ...one, start: start + one.start, end: start + one.end });
  return found;
}

type Take = (word: Word, text: string) => void;

function takeOptions(
  { next = [], joined, pair, cookies = [] }: SecretOptions,
  words: readonly Word[],
  take: Take,
): void {
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
}

/** `scott/tiger@orcl`, with or without quotes around the password. */
const LOGON = /^[A-Za-z][\w$#.-]{0,127}\/"?([^/@\s;&|()<>{},$`'"\\]{1,256})"?@/;

function takeOperands({ operand, flag, assigned, logon }: SecretOptions, words: readonly Word[], take: Take): void {
  for (const word of logon ? words : []) {
    const secret = LOGON.exec(word.text)?.[1];
    if (secret !== undefined) take(word, secret);
  }
  for (const word of assigned ? words : []) {
    const at = word.text.startsWith('-') ? -1 : word.text.indexOf('=');
    // `NAME=@file` is the name of a file, which people have to see.
    if (at > 0 && word.text[at + 1] !== '@') take(word, word.text.slice(at + 1));
  }
  const last = operand === undefined ? undefined : secretOperand(words, operand, flag);
  if (last) take(last, last.text);
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
export function spanOf(word: Word, secret: string, kind: string): SecretSpan[] {
  if (secret.length < MIN_SECRET || RUNS.test(secret) || isNoSecret(secret) || /^["']?\$/.test(secret)) return [];
  const start = word.start + word.text.lastIndexOf(secret);
  return [{ start, end: start + secret.length, kind }];
}
