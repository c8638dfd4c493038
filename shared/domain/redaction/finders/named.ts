/** Finds values by the names before them: `NAME=`, `name: `, `--name `, pairs, XML elements. */
import { endOfValue, isKey, isMixed, isNoSecret, looksSecret, mayNameKey, valueAt } from '../readers/values.ts';
import { isSecretName, SECRET_IN_OTHER_SCRIPTS } from '../tables/names.ts';
import { kindOfName, type SecretSpan } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';
import { elementsIn } from './elements.ts';
import { isNoValue } from './no-values.ts';
import { findSpoken } from './spoken.ts';
import { sqlPasswords } from './sql.ts';

/** Quotes may be written with backslashes, as in JSON within a text; a name may be an index, or stand out in Markdown. */
const NAME_END = /(?:\*\*|__)?(?:\\{0,7}["'`])?\]?/;
/** `password: str = "…"`, `let api_key: &str = "…"` */
const TYPED = /:[ \t]{0,4}&?[A-Za-z_][A-Za-z_.<>|&' ]{0,40}[ \t]=[ \t]{0,4}(?=\\{0,7}["'`])/;
const ASSIGNED = /(?:=>|\|\|=|\?\?=|[?+:|]=|={1,3}|:)(?:\*\*|__)?[ \t]{0,4}/;
/** `password: |` of YAML, whose text begins on the next line. */
const BLOCK = /:[ \t]{0,4}[|>][+-]?[0-9]?[ \t]{0,4}\n[ \t]{1,40}/;
/** A name with what parts it from its value. Built once, from the parts above and from no input. */
const NAMED = new RegExp(
  `(?<![A-Za-z0-9_-])(?<![A-Za-z0-9_.)\\]]\\.)(-{0,2})([A-Za-z_][A-Za-z0-9_.-]{0,254})(${NAME_END.source}[ \\t]{0,4}(?:${TYPED.source}|${BLOCK.source}|${ASSIGNED.source})|[ \\t]{1,4})`,
  'g',
);
/** `define('DB_PASSWORD', '…')`, `["Authorization", "…"]`: a name and its value as two arguments. */
const ARGUMENTS =
  /[([][ \t]{0,4}(?:[A-Za-z_.]{1,40},[ \t]{0,4})?\\{0,7}["']([A-Za-z_][A-Za-z0-9_.-]{0,254})\\{0,7}["'][ \t]{0,4},[ \t]{0,4}(?=\\{0,7}["'])/g;
/** A line of a configuration: `requirepass …`. Programs such as `passwd` take a name there. */
const DIRECTIVE =
  /^[ \t]{0,20}(requirepass|masterauth|bindpw|rootpw|password|passphrase|secret)[ \t]{1,8}["']?([A-Za-z0-9][^\s"'<>|&();]{2,262143})["']?[ \t]{0,8};?$/gm;
/** `API_KEYS=(a b)`, `tokens = ["a", "b"]` */
const LIST =
  /(?<![A-Za-z0-9_.-])([A-Za-z_][A-Za-z0-9_.-]{0,254})["']?[ \t]{0,4}[=:][ \t]{0,4}(?:\(([^()\n]{3,262144})\)|\[([^[\]\n]{3,262144})\])/g;
const ITEM = /["']([^"'\n]{3,262144})["']|[A-Za-z0-9_+/=.~!@#%^*:?-]{3,262144}/g;
/** `login me password …`, of a netrc. */
const NETRC = /\blogin\s{1,20}\S{1,128}\s{1,20}password\s{1,20}([^\s"']{3,262144})/g;
/** `"name": "DB_PASSWORD", "value": `, also in YAML, and as attributes. */
const PAIR =
  /(?<![A-Za-z0-9_])(?:name|key|variable|header|field)(?:\\{0,7}["'])?[ \t]{0,4}[=:][ \t]{0,4}(?:\\{0,7}["'])?([A-Za-z_][A-Za-z0-9_.-]{0,254})(?:\\{0,7}["'])?[ \t]{0,4}[,;\n ]\s{0,40}(?:\\{0,7}["'])?(?:value|val)(?:\\{0,7}["'])?[ \t]{0,4}[=:][ \t]{0,4}/gi;
/** `пароль: x`, `密码：x`. Built once, from the table of names and from no input. */
const OTHER_SCRIPT = new RegExp(`(${SECRET_IN_OTHER_SCRIPTS.source})["']?[ \\t]{0,4}[=:：＝][ \\t]{0,4}`, 'giu');

/** Finds values under secret names; finds may overlap. `names`: more names that the policy file calls secret. */
export function findNamed(text: string, names: ReadonlySet<string>): SecretSpan[] {
  return [
    ...namedIn(text, names),
    ...pairsIn(text, names),
    ...argumentsIn(text, names),
    ...listsIn(text, names),
    ...elementsIn(text, names),
    ...netrcIn(text),
    ...directivesIn(text),
    ...sqlPasswords(text),
    ...findSpoken(text),
    ...otherScriptsIn(text),
  ];
}

/** A key is mixed within so many characters. Only a part of a long text is read, and a key may begin at the end of that part. */
const MIXED_WITHIN = 100;

function namedIn(text: string, names: ReadonlySet<string>): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let noKeyBefore = 0;
  const isKeyAt = (at: number): boolean => {
    if (at < noKeyBefore) return false;
    const { start, text: value } = valueAt(text, at);
    if (!isMixed(value)) noKeyBefore = start + value.length - MIXED_WITHIN;
    return isKey(value);
  };
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match; match = NAMED.exec(text)) {
    const [all, dashes = '', name = '', between = ''] = match;
    // Only an option's value stands after a mere blank; in prose that is the next word.
    const isOption = between.trim() !== '' || dashes !== '';
    const behind = match.index + all.length;
    const isNamed = isSecretName(name, names) || (mayNameKey(name) && isKeyAt(behind));
    if (!isOption || !isNamed) {
      // Another name may stand between this one and its value: `$env:PASSWORD = …`.
      NAMED.lastIndex = match.index + dashes.length + name.length;
      continue;
    }
    // `.db.password = "…"` of jq and yq; `.token:hover` is a style.
    if (text[match.index - 1] === '.' && !between.includes('=')) continue;
    // `token://…` is an address, `token::test` a name: no value is read, so that many of them are not read over and over.
    if (text.startsWith('://', behind) || (between.endsWith(':') && text[behind] === ':')) continue;
    const read = valueAt(text, behind);
    const { start, text: value } = read;
    if (isNoSecret(value) || isNoValue({ text, name, between, from: behind, start, value })) continue;
    const end = endOfValue(text, read);
    spans.push({ start, end, kind: kindOfName(name) });
    // Nothing within a value is a name: the search stays linear.
    NAMED.lastIndex = end;
  }
  return spans;
}

function pairsIn(text: string, names: ReadonlySet<string>): SecretSpan[] {
  return matchesOf(text, PAIR).flatMap(({ 0: all, 1: name = '', index }) => {
    if (!isSecretName(name, names)) return [];
    const read = valueAt(text, index + all.length);
    return isNoSecret(read.text) ? [] : [{ start: read.start, end: endOfValue(text, read), kind: kindOfName(name) }];
  });
}

/** In a list of names the next one is no value: a value holds more than letters, or is long. */
function argumentsIn(text: string, names: ReadonlySet<string>): SecretSpan[] {
  return matchesOf(text, ARGUMENTS).flatMap(({ 0: all, 1: name = '', index }) => {
    if (!isSecretName(name, names)) return [];
    const read = valueAt(text, index + all.length);
    if (isNoSecret(read.text) || !looksSecret(read.text)) return [];
    return [{ start: read.start, end: endOfValue(text, read), kind: kindOfName(name) }];
  });
}

/** Items that hold more than letters: others may be names. */
function listsIn(text: string, names: ReadonlySet<string>): SecretSpan[] {
  return matchesOf(text, LIST).flatMap(({ 0: all, 1: name = '', 2: round, 3: square, index }) => {
    if (!isSecretName(name, names)) return [];
    const items = round ?? square ?? '';
    const from = index + all.length - 1 - items.length;
    return matchesOf(items, ITEM).flatMap(({ 0: item, 1: quoted, index: at }) => {
      const value = quoted ?? item;
      if (isNoSecret(value) || !looksSecret(value)) return [];
      const start = from + at + (quoted === undefined ? 0 : 1);
      return [{ start, end: start + value.length, kind: kindOfName(name) }];
    });
  });
}

function netrcIn(text: string): SecretSpan[] {
  return matchesOf(text, NETRC).flatMap(({ 0: all, 1: value = '', index }) => {
    const end = index + all.length;
    return isNoSecret(value) ? [] : [{ start: end - value.length, end, kind: 'password' }];
  });
}

function directivesIn(text: string): SecretSpan[] {
  return matchesOf(text, DIRECTIVE).flatMap(({ 0: all, 1: name = '', 2: value = '', index }) => {
    if (isNoSecret(value) || !looksSecret(value)) return [];
    const start = index + all.lastIndexOf(value);
    return [{ start, end: start + value.length, kind: kindOfName(name) }];
  });
}

function otherScriptsIn(text: string): SecretSpan[] {
  return matchesOf(text, OTHER_SCRIPT).flatMap(({ 0: all, index }) => {
    const read = valueAt(text, index + all.length);
    return isNoSecret(read.text) ? [] : [{ start: read.start, end: endOfValue(text, read), kind: 'password' }];
  });
}
