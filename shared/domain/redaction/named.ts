/** Finds values by the names before them: `NAME=`, `name: `, `--name `, pairs, XML elements. */
import { type Found, kindOfName } from './marker.ts';
import { isSecretName, SECRET_IN_OTHER_SCRIPTS } from './names.ts';
import { isNoSecret, valueAt } from './values.ts';

/** A name with what parts it from its value; quotes may be written with backslashes, as in JSON within a text. */
const NAMED =
  /(?<![A-Za-z0-9_.-])(-{0,2})([A-Za-z_][A-Za-z0-9_.-]{0,63})((?:\\{0,7}["'])?[ \t]{0,4}(?:=>|[=:])[ \t]{0,4}|[ \t]{1,4})/g;
/** `"name": "DB_PASSWORD", "value": `, also in YAML, and as attributes. */
const PAIR =
  /(?<![A-Za-z0-9_])(?:name|key|variable|header|field)(?:\\{0,7}["'])?[ \t]{0,4}[=:][ \t]{0,4}(?:\\{0,7}["'])?([A-Za-z_][A-Za-z0-9_.-]{0,63})(?:\\{0,7}["'])?[ \t]{0,4}[,;\n ]\s{0,40}(?:\\{0,7}["'])?(?:value|val)(?:\\{0,7}["'])?[ \t]{0,4}[=:][ \t]{0,4}/gi;
const ELEMENT = /<(?:[A-Za-z0-9_-]{1,40}:)?([A-Za-z_][A-Za-z0-9_.-]{0,63})(?:\s[^<>]{0,200})?>([^<>]{3,4096})<\//g;
/** `пароль: x`, `密码：x`. Built once, from the table of names and from no input. */
const OTHER_SCRIPT = new RegExp(`(${SECRET_IN_OTHER_SCRIPTS.source})["']?[ \\t]{0,4}[=:：＝][ \\t]{0,4}`, 'giu');

/** Finds values under secret names; finds may overlap. `names`: more names that the policy file calls secret. */
export function findNamed(text: string, names: ReadonlySet<string>): Found[] {
  return [...namedIn(text, names), ...pairsIn(text, names), ...elementsIn(text, names), ...otherScriptsIn(text)];
}

function namedIn(text: string, names: ReadonlySet<string>): Found[] {
  const found: Found[] = [];
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match; match = NAMED.exec(text)) {
    const [all, dashes = '', name = '', between = ''] = match;
    // Only an option's value stands after a mere blank; in prose that is the next word.
    if (between.trim() === '' && dashes === '') continue;
    if (!isSecretName(name, names)) continue;
    // `token://…` is an address: its value is not read, so that many of them are not read over and over.
    if (text.startsWith('://', match.index + all.length)) continue;
    const { start, text: value } = valueAt(text, match.index + all.length);
    if (isNoSecret(value)) continue;
    found.push({ start, end: start + value.length, kind: kindOfName(name) });
    // Nothing within a value is a name: the search stays linear.
    NAMED.lastIndex = start + value.length;
  }
  return found;
}

function pairsIn(text: string, names: ReadonlySet<string>): Found[] {
  return [...text.matchAll(PAIR)].flatMap(({ 0: all, 1: name = '', index }) => {
    if (!isSecretName(name, names)) return [];
    const { start, text: value } = valueAt(text, index + all.length);
    return isNoSecret(value) ? [] : [{ start, end: start + value.length, kind: kindOfName(name) }];
  });
}

function elementsIn(text: string, names: ReadonlySet<string>): Found[] {
  return [...text.matchAll(ELEMENT)].flatMap(({ 0: all, 1: name = '', 2: value = '', index }) => {
    if (!isSecretName(name, names) || isNoSecret(value.trim())) return [];
    const end = index + all.length - '</'.length;
    return [{ start: end - value.length, end, kind: kindOfName(name) }];
  });
}

function otherScriptsIn(text: string): Found[] {
  return [...text.matchAll(OTHER_SCRIPT)].flatMap(({ 0: all, index }) => {
    const { start, text: value } = valueAt(text, index + all.length);
    return isNoSecret(value) ? [] : [{ start, end: start + value.length, kind: 'password' }];
  });
}
