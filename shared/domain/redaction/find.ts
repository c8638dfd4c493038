/**
 * Secrets that are known by their shape or by what stands before them, beside those that the detector knows. Every pattern is a constant
 * and linear: it starts only where a run of its characters starts, and its parts are bounded (G10).
 */

import { ownValue } from '../own.ts';
import { privateKeys } from './keys.ts';
import { type Found, kindOfName, lookAlikes } from './marker.ts';
import { isSecretName } from './names.ts';
import type { Finder } from './redact.ts';
import { mayHoldSecret } from './screen.ts';

/** Tokens with a prefix of their own; what follows it is 16 characters at least. */
const PREFIXED: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['api key', /(?<![A-Za-z0-9_-])(?:sk|rk)[-_][A-Za-z0-9_-]{16,}/g],
  ['aws access key', /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g],
  ['github', /(?<![A-Za-z0-9_])(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}/g],
  ['gitlab', /(?<![A-Za-z0-9_-])gl(?:pat|ptt|rt|dt)-[A-Za-z0-9_-]{16,}/g],
  ['slack', /(?<![A-Za-z0-9_-])xox[a-z]{1,2}-[A-Za-z0-9-]{10,}|(?<![A-Za-z0-9_-])xapp-[A-Za-z0-9-]{10,}/g],
  ['google', /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{30,}|(?<![A-Za-z0-9_-])ya29\.[A-Za-z0-9_-]{16,}/g],
  ['npm', /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{16,}/g],
  ['sendgrid', /(?<![A-Za-z0-9_-])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g],
  ['jwt', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g],
];

/** `Bearer x`, also without the header's name. */
const SCHEME = /(?<![A-Za-z])(?:bearer|basic|digest|negotiate)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})/gi;
/** The password of `scheme://user:password@host`; of `scheme://token@host` a long first half. */
const USERINFO = /(?<=:\/\/)([^\s/?#@:'"`]{0,256}):([^\s/?#@'"`]{1,512})@|(?<=:\/\/)([^\s/?#@:'"`.]{16,512})@/g;
/** `curl -u name:password`. */
const USER_OPTION = /(?<!\S)(?:-u|--user|--proxy-user)[ =]["']?([^\s:"']{1,128}):([^\s"']{1,512})/g;
/** A name with what parts it from its value: `NAME=`, `name: `, `"name": "`, `--name `. */
const NAMED =
  /(?<![A-Za-z0-9_.-])(-{0,2})([A-Za-z_][A-Za-z0-9_.-]{0,63})(["']?[ \t]{0,4}(?:=>|[=:])[ \t]{0,4}|[ \t]{1,4})/g;
const AUTH_SCHEME = /^(?:bearer|basic|token|digest|apikey|key|negotiate)[ \t]{1,4}(?=\S)/i;
/** What a value is made of that stands without quotes: no substitution, no operator. */
const BARE = /[A-Za-z0-9_+/=.~!@#%^*:?-]{3,4096}/y;
/** Between quotes: all on one line, but no substitution, which would run. */
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\n\\$`]|\\[^\n]|\$(?![({])){3,4096}(?=")/y,
  "'": /[^'\n]{3,4096}(?=')/y,
};
const VARIABLE = /^\$[A-Za-z0-9_]{1,80}$/;
const NO_SECRETS =
  /^(?:true|false|null|none|nil|undefined|string|str|number|boolean|bool|required|optional|\*+|x+|\.+|-+)$/i;

/** All of them in a text, in no order; they may overlap. `names`: more names that the policy file calls secret. */
export function findSecrets(text: string, names: ReadonlySet<string> = new Set()): Found[] {
  return [
    ...lookAlikes(text),
    ...privateKeys(text),
    ...PREFIXED.flatMap(([kind, pattern]) =>
      [...text.matchAll(pattern)].map(({ 0: all, index }) => ({ start: index, end: index + all.length, kind })),
    ),
    ...[...text.matchAll(SCHEME)].map(({ 0: all, 1: secret = '', index }) =>
      endingAt(index + all.length, secret, 'authorization'),
    ),
    ...[...text.matchAll(USERINFO)].flatMap(({ 0: all, 2: password, 3: token, index }) => {
      const secret = password ?? token ?? '';
      return secret.startsWith('$') ? [] : [endingAt(index + all.length - 1, secret, 'password')];
    }),
    ...[...text.matchAll(USER_OPTION)].flatMap(({ 0: all, 2: secret = '', index }) =>
      secret.startsWith('$') || /^\d+$/.test(secret) ? [] : [endingAt(index + all.length, secret, 'password')],
    ),
    ...named(text, names),
  ];
}

/** What is secret everywhere, whatever a policy file adds. */
export const BUILT_IN_FINDER: Finder = {
  find: (text) => (mayHoldSecret(text) ? findSecrets(text) : []),
  names: new Set(),
};

const endingAt = (end: number, secret: string, kind: string): Found => ({ start: end - secret.length, end, kind });

function named(text: string, names: ReadonlySet<string>): Found[] {
  const found: Found[] = [];
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match; match = NAMED.exec(text)) {
    const [all, dashes = '', name = '', between = ''] = match;
    // Only an option's value stands after a mere blank; in prose that is the next word.
    if (between.trim() === '' && dashes === '') continue;
    if (!isSecretName(name, names)) continue;
    // `token://…` is an address: its value is not read, so that many of them are not read over and over (G10).
    if (text.startsWith('://', match.index + all.length)) continue;
    const { start, value } = valueAt(text, match.index + all.length);
    if (value === '' || NO_SECRETS.test(value) || VARIABLE.test(value)) continue;
    found.push({ start, end: start + value.length, kind: kindOfName(name) });
    // Nothing within a value is a name: the search stays linear.
    NAMED.lastIndex = start + value.length;
  }
  return found;
}

function valueAt(text: string, from: number): { readonly start: number; readonly value: string } {
  const quote = text[from] ?? '';
  const quoted = ownValue(QUOTED, quote);
  let start = quoted ? from + 1 : from;
  start += AUTH_SCHEME.exec(text.slice(start, start + 20))?.[0].length ?? 0;
  const pattern = quoted ?? BARE;
  pattern.lastIndex = start;
  return { start, value: pattern.exec(text)?.[0] ?? '' };
}
