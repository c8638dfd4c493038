/**
 * Finds secrets by their shape, the words before them, or the program that takes them.
 *
 * Every pattern is a constant and linear: it starts only where a run of its characters starts, and its parts are
 * bounded.
 */
import { findCredentials } from './finders/addresses.ts';
import { cardNumbers } from './finders/card-numbers.ts';
import { findInCommands } from './finders/commands.ts';
import { findEncoded } from './finders/encoded.ts';
import { unescaped } from './finders/escapes.ts';
import { privateKeys } from './finders/keys.ts';
import { manifestSecrets } from './finders/manifest.ts';
import { findNamed } from './finders/named.ts';
import { findTokens } from './finders/tokens.ts';
import type { Finder } from './redact.ts';
import { mayHoldSecret, mayNameProgram } from './screen.ts';
import { folded } from './text/fold.ts';
import { lookAlikes, type SecretSpan } from './text/marker.ts';
import { matchesOf } from './text/matches.ts';

/** `Bearer x`, also without the header's name. */
const SCHEME = /(?<![A-Za-z])(?:bearer|basic|digest|negotiate)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})/gi;
/** `-u name:password` of any program. */
const USER_OPTION = /(?<!\S)(?:-u|--user|--proxy-user)[ =]["']?([^\s:"']{1,128}):(?!\/\/)([^\s"']{1,262144})/g;
/** Functions that take a secret behind a name, or alone. */
const CREDENTIAL_CALL =
  /(?:(?:NetworkCredential|HTTPBasicAuth|\.login|\.auth|changeUserPassword|auth=|createHmac|jwt\.(?:sign|encode))[(\s]{1,4}[^()\n"'{]{0,40}(?:\{[^{}()\n]{0,200}\}|["'][^"'\n]{0,128}["'])\s{0,4},\s{0,4}|set_?password\(\s{0,4}|getConnection\([^()\n]{1,200},\s{0,4})["']([^"'\n]{3,262144})(?=["'])/gi;

/** All of them in a text, in no order; they may overlap. `names`: more names that the policy file calls secret. */
export function findSecrets(text: string, names: ReadonlySet<string> = new Set()): SecretSpan[] {
  const plain = [
    ...findWritten(text, names),
    ...manifestSecrets(text),
    ...findEncoded(text, (decoded) => isSecretText(decoded, names)),
  ];
  const escapes = unescaped(text);
  if (escapes) plain.push(...escapes.spansOf(findWritten(escapes.text, names)));
  const letters = folded(text);
  // A letter that looks like another may part what belongs together, or join what does not: both texts are looked at.
  return letters ? [...plain, ...letters.spansOf(findWritten(letters.text, names))] : plain;
}

const isSecretText = (text: string, names: ReadonlySet<string>): boolean =>
  mayHoldSecret(text) && findWritten(text, names).length > 0;

function findWritten(text: string, names: ReadonlySet<string>): SecretSpan[] {
  return [
    ...lookAlikes(text),
    ...privateKeys(text),
    ...findTokens(text),
    ...cardNumbers(text),
    ...endsOf(text, SCHEME, 'authorization'),
    ...endsOf(text, USER_OPTION, 'password').filter(({ start, end }) => !/^(?:\$|\d+$)/.test(text.slice(start, end))),
    ...endsOf(text, CREDENTIAL_CALL, 'password'),
    ...findCredentials(text),
    // Before the names: of two finds of one value the first one names it, and a program says more about it.
    ...(mayNameProgram(text) ? findInCommands(text) : []),
    ...findNamed(text, names),
  ];
}

/** The last group of each match, which stands at its end. */
const endsOf = (text: string, pattern: RegExp, kind: string): SecretSpan[] =>
  matchesOf(text, pattern).map((match) => {
    const end = match.index + match[0].length;
    return { start: end - (match.at(-1) ?? '').length, end, kind };
  });

/** Finds values that are secret everywhere, beside those that a policy file adds. */
export const BUILT_IN_FINDER: Finder = {
  find: (text) => (mayHoldSecret(text) ? findSecrets(text) : []),
  names: new Set(),
};
