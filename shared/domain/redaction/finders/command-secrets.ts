/** Finds the secrets in the words of one command: by its programs, and behind words that set a name. */
import { type Word, wordsRun } from '../readers/command-words.ts';
import { isSecretName } from '../tables/names.ts';
import { SECRET_OPTIONS } from '../tables/program-secrets.ts';
import { SETTERS } from '../tables/setters.ts';
import { kindOfName, type SecretSpan } from '../text/marker.ts';
import { secretsBy, spanOf } from './command-options.ts';

export const nameOf = ({ text }: Word): string =>
  text
    .slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1)
    .replace(/\.exe$/i, '')
    .toLowerCase();

/** The secrets in the words of one command, by each program that they name and each word that sets a name. */
export function secretsOf(words: readonly Word[]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  // `set -gx NAME VALUE`: the last word before the name that is no option.
  let setter: Word | undefined;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    const passed = words[at - 2];
    if (passed && (!passed.text.startsWith('-') || isSetter(passed.text))) setter = passed;
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
    const isSub = ({ text }: Word): boolean =>
      records.some(({ after, pairs }) => after === text.toLowerCase() || (pairs && isSecretName(text)));
    const next = rest.findIndex((word) => SECRET_OPTIONS.has(nameOf(word)) && !/^-/.test(word.text) && !isSub(word));
    const own = next < 0 ? rest : rest.slice(0, next);
    const end = at + 1;
    const isStart = () => wordsRun(words.slice(0, end).map(({ text }) => text)).length === 1;
    for (const options of records.filter(({ starts }) => !starts || isStart()))
      spans.push(...secretsBy(options, own, `password of ${kindOfName(name)}`));
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
