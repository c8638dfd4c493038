/** Finds passwords in logons of Oracle among the words of one program. */
import type { Word } from '../readers/command-words.ts';
import type { SecretOptions } from '../tables/program-secrets.ts';

/** `scott/tiger@orcl`, with or without quotes around the password. */
const LOGON = /^[A-Za-z][\w$#.-]{0,127}\/"?([^/@\s;&|()<>{},$`'"\\]{1,256})"?@/;
/** `scott/tiger` alone, also before `as sysdba`; no file and no path of several folders. */
const LOGON_ALONE = /^[A-Za-z][\w$#-]{0,127}\/"?([^/@\s;&|()<>{},$`'"\\]{1,256})"?(?=$| as )/i;
const FILE = /\.(?:sql|ctl|par|dmp|log|csv|rman|bad|zip)$/i;

/** The words that hold a password, and it. */
export function logonsIn(words: readonly Word[], logon: NonNullable<SecretOptions['logon']>): [Word, string][] {
  const found = words.flatMap((word): [Word, string][] => {
    const secret = LOGON.exec(word.text)?.[1];
    return secret === undefined ? [] : [[word, secret]];
  });
  const first = logon === 'first' ? words.find(({ text }) => !/^[-@]/.test(text) && text.includes('/')) : undefined;
  const alone = first && !FILE.test(first.text) ? LOGON_ALONE.exec(first.text)?.[1] : undefined;
  return first && alone !== undefined ? [...found, [first, alone]] : found;
}
