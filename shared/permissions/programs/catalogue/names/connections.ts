/** Spells the host of a connection string as an option, for rules that name one. */

/** `host=a port=1`, as libpq reads it, and `?host=a` of an address, which wins over the host before it. */
const PARAMETER = /(?:^|[\s?&])host(?:addr)?\s*=\s*'?([^\s'&]+)/;

/** `psql 'host=a dbname=b'` and `psql postgres://a/b` are `psql --host a`: the string wins over the option. */
export function connectionSpellings(words: readonly string[]): readonly (readonly string[])[] {
  return words.flatMap((word, at) => {
    const text = word.replace(/^(?:--dbname=|-d)/, '');
    const host = PARAMETER.exec(text)?.[1] ?? (text.includes('://') ? URL.parse(text)?.hostname : undefined);
    return host === undefined || host === '' ? [] : [['--host', host, ...words.filter((_, other) => other !== at)]];
  });
}
