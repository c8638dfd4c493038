/** Finds the secrets among the words of one program: values of its options, and operands. */
import type { Word } from '../readers/command-words.ts';
import { isNoSecret } from '../readers/values.ts';
import { isSecretName } from '../tables/names.ts';
import type { SecretOptions } from '../tables/program-secrets.ts';
import type { SecretSpan } from '../text/marker.ts';
import { logonsIn } from './logons.ts';
import { sqlPasswords } from './sql.ts';

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
    const both =
      pair && (valued(pair.options) ?? joinedPair(text, pair.options) ?? clusterValue(words, at, pair.options));
    if (pair && both?.includes(pair.by)) {
      // `--from-literal="name=SECRET"`: the quotes are not around the whole word.
      const secret = both.slice(
        both.indexOf(pair.by) + 1,
        /^["']/.test(both) && both.endsWith(both[0] ?? '') ? -1 : undefined,
      );
      if (!/^\d+$/.test(secret)) take(holder(both), secret);
    }
    const lead = joined && (joined.startsWith('/') ? joined : `-${joined}`);
    if (lead && text.startsWith(lead) && text.length > lead.length) take(word, text.slice(lead.length));
  }
}

function takeOperands(options: SecretOptions, words: readonly Word[], take: Take): void {
  const { operand, assigned, logon, prefixed, pairs } = options;
  for (const [word, secret] of logon ? logonsIn(words, logon) : []) take(word, secret);
  for (const word of assigned ? words : []) {
    const at = word.text.startsWith('-') ? -1 : word.text.indexOf('=');
    const isMeant = assigned === true || assigned?.includes(word.text.slice(0, at));
    // `NAME=@file` is the name of a file, which people have to see.
    if (at > 0 && isMeant && word.text[at + 1] !== '@') take(word, word.text.slice(at + 1));
  }
  for (const word of words)
    if (prefixed && word.text.startsWith(prefixed)) take(word, word.text.slice(prefixed.length));
  const named = pairs === undefined ? [] : words.filter(({ text }) => !text.startsWith('-')).slice(pairs - 1);
  for (const [at, word] of named.entries()) if (isSecretName(named[at - 1]?.text ?? '')) take(word, word.text);
  const last = operand === undefined ? undefined : secretOperand(words, operand, options);
  if (last) take(last, operandSecret(last.text, options));
}

/** The part behind the name in `me:SECRET`; nothing of an address, or of a word without a name before it. */
function operandSecret(text: string, { by }: SecretOptions): string {
  if (by === undefined) return text;
  const at = text.indexOf(by);
  return at > 0 && !text.startsWith('://', at) ? text.slice(at + by.length) : '';
}

/** The value of one of these options at a word: the next word, or the part behind `=`. */
function valueAt(words: readonly Word[], at: number, names: readonly string[]): string | undefined {
  const { text } = words[at] as Word;
  const name = names.find((one) => text === one || text.toLowerCase() === one);
  if (name !== undefined) return words[at + 1]?.text;
  return names.find((one) => one.length > 2 && text.startsWith(`${one}=`)) && text.slice(text.indexOf('=') + 1);
}

/** The operand that is a secret, counted from 1; 0 for the last one. */
function secretOperand(words: readonly Word[], operand: number, options: SecretOptions): Word | undefined {
  const { flag, valued = [], under, without } = options;
  if (flag !== undefined && !hasFlag(words, flag)) return undefined;
  if (without && words.some(({ text }) => without.test(text))) return undefined;
  const operands = words.filter(
    ({ text }, at) =>
      !/^[-/]/.test(text) && !/^[A-Za-z]:$|^\\\\|^\*$/.test(text) && !valued.includes(words[at - 1]?.text ?? ''),
  );
  if (under && !under.test(operands[0]?.text ?? '')) return undefined;
  if (operand !== 0) return operands[operand - 1];
  return flag?.startsWith('/') || operands.length > 1 ? operands.at(-1) : undefined;
}

/** `-su me:SECRET` */
const clusterValue = (words: readonly Word[], at: number, options: readonly string[]): string | undefined => {
  const { text } = words[at] as Word;
  const isOne = /^-[A-Za-z]{2,6}$/.test(text) && options.some((one) => one.length === 2 && text.endsWith(one.slice(1)));
  return isOne ? words[at + 1]?.text : undefined;
};

/** `-ume:SECRET` */
const joinedPair = (text: string, options: readonly string[]): string | undefined =>
  options.some((one) => one.length === 2 && text.startsWith(one)) && text.length > 2 ? text.slice(2) : undefined;

const hasFlag = (words: readonly Word[], flag: string): boolean =>
  words.some(({ text }) =>
    flag.startsWith('--')
      ? text === flag
      : flag.startsWith('/')
        ? text.toLowerCase().startsWith(flag)
        : /^-[A-Za-z0-9]+$/.test(text) && text.includes(flag),
  );

/** The end of the word; nothing if a shell would put something else in its place. */
export function spanOf(word: Word, secret: string, kind: string): SecretSpan[] {
  if (secret.length < MIN_SECRET || RUNS.test(secret) || isNoSecret(secret) || /^["']?\$/.test(secret)) return [];
  const start = word.start + word.text.lastIndexOf(secret);
  return [{ start, end: start + secret.length, kind }];
}
