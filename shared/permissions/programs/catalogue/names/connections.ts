/** Spells the host of a connection string as an option, for rules that name one. */

/** `host=a port=1`, as libpq reads it, and `?host=a` of an address, which wins over the host before it. Of several the last one holds. */
const PARAMETER = /(?<=^|[\s?&])host(?:addr)?\s*=\s*'?([^\s'&]+)/g;

/** `psql 'host=a dbname=b'` and `psql postgres://a/b` are `psql --host a`: the string wins over the option. */
export function connectionSpellings(words: readonly string[]): readonly (readonly string[])[] {
  return words.flatMap((word, at) => {
    const text = word.replace(/^(?:--d\w*=|-[A-Za-z]*?d)/, '');
    const stated = [...text.matchAll(PARAMETER)].map((found) => found[1] as string);
    const hosts = stated.length > 0 || !text.includes('://') ? stated : [URL.parse(text)?.hostname ?? ''];
    const others = words.filter((_, other) => other !== at);
    return hosts.filter((host) => host !== '').map((host) => ['--host', host, ...others]);
  });
}
