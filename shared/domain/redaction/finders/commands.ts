/**
 * Finds the secrets of command lines by the programs that take them.
 * Words are read as a shell would part them, in one pass.
 */

import { isSecretName } from '../tables/names.ts';
import { SECRET_OPTIONS } from '../tables/program-secrets.ts';
import { SETTERS } from '../tables/setters.ts';
import { kindOfName, type SecretSpan } from '../text/marker.ts';
import { secretsBy, spanOf, type Word } from './command-options.ts';

/** A blank, an operator, or a word; a quote without its other half is none of them. */
const PART = /([ \t\r]+)|(\\\n|[\n;&|()<>]+)|((?:'[^'\n]{0,4096}'|"(?:[^"\\\n]|\\.){0,4096}"|\\.|[^\s;&|()<>'"\\])+)/gy;
const SPEAKS: ReadonlySet<string> = new Set(['echo', 'printf', 'print', 'write-output']);
const MAX_WORDS = 4_096;

export function findInCommands(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let words: Word[] = [];
  /** Spoken into the pipe that the next command reads. */
  let spoken: readonly Word[] = [];
  let isHereString = false;
  let isHereDocument = false;
  const end = (operator: string): void => {
    if (isHereDocument && operator.includes('\n')) {
      isHereDocument = false;
      if (reads(previous)) {
        const { lines, end } = bodyOf(text, PART.lastIndex, words[0]?.text ?? '');
        spans.push(...lines.flatMap((line) => fedTo(previous, line)));
        // The program reads these lines, and no shell.
        PART.lastIndex = end;
      }
    }
    if (isHereString) {
      isHereString = false;
      const [fed, ...rest] = words;
      words = rest;
      if (fed && reads(previous)) spans.push(...fedTo(previous, fed));
    }
    spans.push(...secretsOf(words));
    if (spoken.length && reads(words)) spans.push(...spoken.flatMap((word) => fedTo(words, word)));
    const first = words[0]?.text.toLowerCase() ?? '';
    spoken = operator === '|' && SPEAKS.has(first) ? words.slice(1).filter(({ text: one }) => !/^[-%]/.test(one)) : [];
    previous = words;
    isHereString = operator === '<<<';
    isHereDocument = operator === '<<';
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
  return spans;
}

/** The lines of a here-document, and the place where the last one ends. */
function bodyOf(text: string, from: number, stated: string): { readonly lines: readonly Word[]; readonly end: number } {
  const delimiter = stated.replace(/^-/, '');
  const lines: Word[] = [];
  let start = from;
  while (start < text.length) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    const line = text.slice(start, end).trim();
    if (line === delimiter || lines.length >= MAX_WORDS) break;
    if (line !== '') lines.push({ start: text.indexOf(line, start), text: line });
    start = end + 1;
  }
  return { lines, end: Math.min(start, text.length) };
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

/** A text that a program reads. Of `user:password`, as `chpasswd` reads it, people have to see the user. */
function fedTo(words: readonly Word[], fed: Word): SecretSpan[] {
  const kind = programOf(words);
  const user = kind === CHPASSWD ? fed.text.indexOf(':') + 1 : 0;
  return spanOf(fed, fed.text.slice(user), kind);
}
const CHPASSWD = 'password of chpasswd';

function reads(words: readonly Word[]): boolean {
  return words.some((word, at) =>
    SECRET_OPTIONS.get(nameOf(word))?.some(({ input, after }) => {
      const own = words.slice(at + 1).map(({ text }) => text);
      return input?.includes('*') || (input?.some((one) => own.includes(one)) && (!after || own.includes(after)));
    }),
  );
}

function secretsOf(words: readonly Word[]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    // `set -gx NAME VALUE`
    const setter = words.slice(0, Math.max(0, at - 1)).findLast(({ text }) => !text.startsWith('-') || isSetter(text));
    if (before && setter && isSetter(setter.text) && setsSecret(before.text))
      spans.push(...spanOf(word, word.text, kindOfName(lastName(before.text))));
  }
  let at = words.findIndex((word) => SECRET_OPTIONS.has(nameOf(word)));
  while (at >= 0) {
    const program = words[at] as Word;
    const name = nameOf(program);
    const rest = words.slice(at + 1);
    const records = SECRET_OPTIONS.get(name) ?? [];
    // `openssl passwd`: a sub-command, and no other program.
    const isSub = ({ text }: Word): boolean => records.some(({ after }) => after === text.toLowerCase());
    const next = rest.findIndex((word) => SECRET_OPTIONS.has(nameOf(word)) && !/^-/.test(word.text) && !isSub(word));
    const own = next < 0 ? rest : rest.slice(0, next);
    for (const options of records) spans.push(...secretsBy(options, own, `password of ${kindOfName(name)}`));
    at = next < 0 ? -1 : at + 1 + next;
  }
  return spans;
}

const isSetter = (text: string): boolean => SETTERS.has(text) || SETTERS.has(text.toLowerCase());

/** Behind `NAME=value` another word stands. `user.signingkey` of git is the id of a key, and `set-credentials` of kubectl a sub-command. */
const setsSecret = (name: string): boolean =>
  !/=|^set-|^-/.test(name) && name !== 'user.signingkey' && isSecretName(lastName(name));

/** The last part of a name such as `//registry.example/:_authToken`. */
const lastName = (text: string): string => text.slice(text.lastIndexOf(':') + 1).slice(-64);
