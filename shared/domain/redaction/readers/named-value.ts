/** Finds the field of an object that holds a secret because another field of it says so. */
import { namesSecret } from '../tables/names.ts';
import { kindOfName } from '../text/marker.ts';
import { holdsAwsId, isAwsSecret } from './aws-pair.ts';

type Entry = readonly [string, unknown];

const NAME_FIELD = /^(?:parameter)?(?:name|key|variable|header|field|property|parameter)$/i;
const VALUE_FIELD = /^(?:(?:parameter|string)_?)?(?:value|values|val|vals)$/i;
/** Names of an input field of a page, and the words for such a field behind its name. */
const ELEMENT = /^(?:selector|element|label|locator)$/i;
const ELEMENT_WORDS = /\s{1,4}(?:field|input|text ?box|box)$/i;
const TYPED = /^(?:value|text)$/i;
/** Beside the name of a secret that is stored. */
const SECRET_NAME = /^secret_?(?:name|id|key)$/i;

/** `{ name: 'DB_PASSWORD', value: … }`: which field holds the value, and what it is called. Also half of an AWS pair beside the other. */
export function namedValue(
  entries: readonly Entry[],
  names: ReadonlySet<string>,
): { readonly key: string; readonly kind: string } | undefined {
  const name = entries.find(
    ([key, text]) => typeof text === 'string' && NAME_FIELD.test(key) && namesSecret(text, names),
  );
  const value = entries.find(([key]) => VALUE_FIELD.test(key));
  if (name && value) return { key: value[0], kind: kindOfName(String(name[1])) };
  if (value && entries.some(isStored)) return { key: value[0], kind: 'secret' };
  const typed = typedSecret(entries, names);
  if (typed) return typed;
  // A key as JSON; its `d` is the half that nobody else has.
  if (entries.some(([key]) => key === 'kty') && entries.some(([key]) => key === 'd')) return { key: 'd', kind: 'jwk' };
  if (!entries.some(([, text]) => typeof text === 'string' && holdsAwsId(text))) return undefined;
  const half = entries.find(([, text]) => typeof text === 'string' && isAwsSecret(text));
  return half && { key: half[0], kind: 'aws secret key' };
}

/** `{ Type: 'SecureString' }`, `{ secret_name: 'A' }`, `{ path: '/stringData/a' }`: the value beside it is a secret. */
const isStored = ([key, text]: Entry): boolean =>
  typeof text === 'string' &&
  ((/^type$/i.test(key) && text === 'SecureString') ||
    (SECRET_NAME.test(key) && text !== '') ||
    (key === 'path' && text.startsWith('/stringData/')));

/** `{ selector: '#password', text: … }`: a word, and no sentence, that a browser types into such a field. */
function typedSecret(entries: readonly Entry[], names: ReadonlySet<string>) {
  const element = entries.find(
    ([key, text]) =>
      typeof text === 'string' && ELEMENT.test(key) && namesSecret(text.replace(ELEMENT_WORDS, '').slice(-64), names),
  );
  const value =
    element && entries.find(([key, text]) => TYPED.test(key) && typeof text === 'string' && !/\s/.test(text));
  return value && { key: value[0], kind: 'password' };
}
