/**
 * Lists the names that mark a secret: of fields, options, headers, variables.
 * The one list of the gate and its guardrails.
 */
import { foldedText } from '../text/fold.ts';

/** As the last word of a name, or as its end where the words are written together (`authtoken`). */
const LAST =
  /(?:passwords?|passwd|passphrases?|passcodes?|secrets?|token|apikeys?|accesskeys?|authkeys?|privatekeys?|secretkeys?|signingkeys?|authorization|credentials?|cookies?|jwts?|bearer|mnemonic)$/;
/** `storepass`, `bindpw`; not `bypass` or `compass`. */
const LAST_TOGETHER =
  /^(?:admin|become|bind|db|dest|ftp|http|imap|keystore|key|login|mail|master|my|new|old|pg|proxy|rdp|require|root|smtp|src|ssh|store|sudo|truststore|user|wifi)(?:pass|pw|pwd)$/;
/** The words of a name together, where its last word alone says nothing. */
const COMPOUND =
  /(?:seedphrase|recoveryphrase|recoverycodes?|backupcodes?|secretkeybase|clientkeydata|^stringdata|masterauth|secretbinary|sharedaccesskeys?|(?:github|gitlab|azure|devops)pat)$/;
/** `GH_PAT`, `DD_APP_KEY`, as variables are written: in small letters it is a name or a pattern. */
const TOKEN_VARIABLE = /^[A-Z0-9_]{1,60}_(?:PAT|APP_KEY|SALT)$/;
/** In other languages, at the end of the name without what parts its words. */
const FOREIGN =
  /(?:passw(?:ort|oerter|orter)|kennwort|motsdepasse|motdepasse|contrasenas?|contrasenya|senhas?|wachtwoord(?:en)?|haslo|heslo|jelszo|salasana|losenord|passord|adgangskode|sifre|parola|lozinka|geslo)$/;
/** In other scripts, anywhere in the name. */
export const SECRET_IN_OTHER_SCRIPTS =
  /пароль|пароля|секрет|密码|密碼|口令|令牌|パスワード|暗証番号|비밀번호|암호|סיסמה|كلمة[\s_-]?(?:المرور|السر)|पासवर्ड|รหัสผ่าน/iu;
const LAST_WORDS: ReadonlySet<string> = new Set(['pwd', 'pass', 'pw', 'psk', 'auth', 'otp', 'cvv', 'cvc']);
/** Anywhere in a name. */
const ANYWHERE: ReadonlySet<string> = new Set(['password', 'passwd', 'passphrase']);
/** The last word of a name that tells something about a password, or where it is. */
const ABOUT: ReadonlySet<string> = new Set(
  'age at attempts callback changed cmd command count dir enabled env expired expires expiry field file format helper hint hook id label length max min name path placeholder policy program prompt provider ref required rule rules script source store strength ttl type url variable'.split(
    ' ',
  ),
);
/** Before `token`: a place in a list, or a mark of a model. Before `secret`: the name of one. */
const NO_TOKENS =
  /(?:page|next|continuation|sync|pagination|starting|stop|eos|bos|pad|unk|mask|sep|special)token$|(?:existing|pull|set|update)secrets?$/;
/** `alias.token` of git, `scripts.token` of npm: the value is a command. */
const RUN_BY_NAME = /^(?:alias|scripts?)\./i;
/** Before `key` or `keys`: then it is a secret one. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'api',
  'access',
  'application',
  'ingestion',
  'private',
  'secret',
  'signing',
  'encryption',
  'hmac',
  'account',
  'auth',
  'master',
  'storage',
  'license',
  'preshared',
  'service',
  'session',
  'shared',
  'ssh',
  'subscription',
]);
/** Before `tokens`: without one of these they are a model's, and counted. */
const SECRET_TOKENS: ReadonlySet<string> = new Set(
  'access api auth bearer deploy id oauth personal refresh secret session'.split(' '),
);
const TOKENS_TOGETHER = /(?:access|api|auth|bearer|oauth|refresh|session)tokens$/;
/** Says how a secret is written, not what it is. */
const TRAILING: ReadonlySet<string> = new Set(['value', 'string', 'text', 'raw', 'plaintext', 'base64', 'b64', 'code']);
/** Where a number is a secret too; under `token` a short one is a count. */
const NUMERIC = /(?:password|passwd|passcode|pin|otp|cvv|cvc)$/;

/** `API-Key`, `api_key` and `apiKey` are one name; `max_tokens`, `tokenizer` and `keyboard` are none. `more`: the policy file's own. */
export function isSecretName(name: string, more: ReadonlySet<string> = NONE): boolean {
  return isSecret(known(name), more);
}

/** As `isSecretName`, for a value that may be a name. Such a text may be a secret, so it is not remembered. */
export const namesSecret = (text: string, more: ReadonlySet<string>): boolean => isSecret(read(text), more);

const isSecret = ({ saysSecret, stem }: ReadName, more: ReadonlySet<string>): boolean =>
  saysSecret || (stem !== '' && more.has(stem));

const NONE: ReadonlySet<string> = new Set();

export const holdsNumbers = (name: string): boolean => NUMERIC.test(known(name).plain);

/** A name as the policy file states it, in the one form that is compared. */
export const plainName = (name: string): string => read(name).plain;

interface ReadName {
  /** All words of the name together. */
  readonly plain: string;
  /** The same without words that only say how a secret is written; empty without a word. */
  readonly stem: string;
  readonly saysSecret: boolean;
}

/** The same fields come with every call. */
const KNOWN = new Map<string, ReadName>();
const MAX_KNOWN = 1000;
/** Any other name may hold a secret itself, and is read anew. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z_-]{0,31}$/;

function known(name: string): ReadName {
  const found = KNOWN.get(name);
  if (found) return found;
  const result = read(name);
  if (!PLAIN_NAME.test(name)) return result;
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(name, result);
  return result;
}

function read(name: string): ReadName {
  const words = wordsOf(name);
  const plain = words.join('');
  while (words.length > 1 && TRAILING.has(words.at(-1) ?? '')) words.pop();
  return { plain, stem: words.join(''), saysSecret: areSecret(words, name) };
}

function areSecret(words: readonly string[], name: string): boolean {
  const last = words.at(-1);
  if (last === undefined) return SECRET_IN_OTHER_SCRIPTS.test(name);
  if (NO_TOKENS.test(words.slice(-2).join('')) || RUN_BY_NAME.test(name)) return false;
  if (words.some((word) => ANYWHERE.has(word))) return words.length === 1 || !ABOUT.has(last);
  if (LAST_WORDS.has(last) || LAST.test(last)) return true;
  const before = words.at(-2) ?? '';
  if (last === 'tokens' && SECRET_TOKENS.has(before)) return true;
  if ((last === 'key' || last === 'keys') && SECRET_KEYS.has(before)) return true;
  const together = words.join('');
  if (LAST_TOGETHER.test(last) || COMPOUND.test(together) || TOKEN_VARIABLE.test(name)) return true;
  return FOREIGN.test(together) || TOKENS_TOGETHER.test(last) || SECRET_IN_OTHER_SCRIPTS.test(name);
}

function wordsOf(name: string): string[] {
  // Most names are one plain word.
  if (/^[a-z]{1,128}$/.test(name)) return [name];
  return foldedText(name.slice(-128))
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}
