/** Finds the secrets that a command gets by its input. */
import type { Word } from '../readers/command-words.ts';
import { SECRET_OPTIONS } from '../tables/program-secrets.ts';
import { kindOfName, type SecretSpan } from '../text/marker.ts';
import { spanOf } from './command-options.ts';
import { nameOf } from './command-secrets.ts';

/** The last program of the command that is known here: the others only start it. */
function programOf(words: readonly Word[]): string {
  const name = words.map(nameOf).findLast((one) => SECRET_OPTIONS.has(one));
  return `password of ${kindOfName(name ?? 'a program')}`;
}

/** A text that a program reads. Of `user:password`, as `chpasswd` reads it, people have to see the user. */
export function fedTo(words: readonly Word[], fed: Word): SecretSpan[] {
  const kind = programOf(words);
  const user = kind === CHPASSWD ? fed.text.indexOf(':') + 1 : 0;
  return spanOf(fed, fed.text.slice(user), kind);
}
const CHPASSWD = 'password of chpasswd';

/** Whether the command takes a secret from its input. */
export function reads(words: readonly Word[]): boolean {
  return words.some((word, at) =>
    SECRET_OPTIONS.get(nameOf(word))?.some(({ input, after }) => {
      const own = words.slice(at + 1).map(({ text }) => text);
      return input?.includes('*') || (input?.some((one) => own.includes(one)) && (!after || own.includes(after)));
    }),
  );
}
