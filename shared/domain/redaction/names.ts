/** Names that say that what they name is a secret: of fields, options, headers, variables. */

/** As the last word of a name, or as its end where the words are written together (`authtoken`). */
const LAST =
  /(?:password|passwd|passphrase|passcode|secret|secrets|token|apikey|accesskey|privatekey|secretkey|signingkey|authorization|credential|credentials|cookie|jwt|bearer)$/;
const LAST_WORDS: ReadonlySet<string> = new Set(['pwd', 'pass', 'auth', 'otp', 'cvv', 'cvc']);
/** Anywhere in a name. */
const ANYWHERE: ReadonlySet<string> = new Set(['password', 'passwd', 'passphrase']);
/** What a `key` has to be called to be a secret one. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'api',
  'access',
  'private',
  'secret',
  'signing',
  'encryption',
  'account',
  'auth',
  'master',
  'storage',
  'service',
  'session',
  'ssh',
  'subscription',
]);
/** Says how a secret is written, not what it is. */
const TRAILING: ReadonlySet<string> = new Set(['value', 'string', 'text', 'raw', 'plaintext', 'base64', 'b64']);
/** Where a number is a secret too; under `token` it is a count. */
const NUMERIC = /(?:password|passwd|passcode|pin|otp|cvv|cvc)$/;

/** `API-Key`, `api_key` and `apiKey` are one name; `max_tokens`, `tokenizer` and `keyboard` are none. `more`: the policy file's own. */
export function isSecretName(name: string, more: ReadonlySet<string> = new Set()): boolean {
  const words = wordsOf(name);
  while (words.length > 1 && TRAILING.has(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1);
  if (last === undefined) return false;
  if (more.has(words.join(''))) return true;
  if (words.some((word) => ANYWHERE.has(word)) || LAST_WORDS.has(last) || LAST.test(last)) return true;
  return (last === 'key' || last === 'keys') && SECRET_KEYS.has(words.at(-2) ?? '');
}

export const holdsNumbers = (name: string): boolean => NUMERIC.test(wordsOf(name).join(''));

/** A name as the policy file states it, in the one form that is compared. */
export const plainName = (name: string): string => wordsOf(name).join('');

function wordsOf(name: string): string[] {
  return name
    .slice(0, 128)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}
