/** Finds values by the names of the XML elements that they stand in, or of the keys before them. */
import { isNoSecret } from '../readers/values.ts';
import { isSecretName } from '../tables/names.ts';
import { kindOfName, type SecretSpan } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

const ELEMENT =
  /<(?:[A-Za-z0-9_-]{1,40}:)?([A-Za-z_][A-Za-z0-9_.-]{0,254})(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?([^<>]{3,262144}?)(?:\]\]>)?<\//g;
/** A key and its text in a property list of Apple. */
const PLIST = /<key>([A-Za-z_][A-Za-z0-9_.-]{0,254})<\/key>\s{0,40}<string>([^<>]{3,262144})<\/string>/g;
export function elementsIn(text: string, names: ReadonlySet<string>): SecretSpan[] {
  return [...matchesOf(text, ELEMENT), ...matchesOf(text, PLIST)].flatMap(
    ({ 0: all, 1: name = '', 2: value = '', index }) => {
      if (!isSecretName(name, names) || isNoSecret(value.trim())) return [];
      const start = index + all.lastIndexOf(value);
      return [{ start, end: start + value.length, kind: kindOfName(name) }];
    },
  );
}
