/** Spells the host of a connection string as an option, for rules that name one. */

/** `host=a port=1`, as libpq reads it, and `?host=a` of an address, which wins over the host before it. The last of several holds. */
const PARAMETER = /(?<=^|[\s?&])host(?:addr)?\s*=\s*'?([^\s'&]+)/g;

function hostsIn(word: string): readonly string[] {
  const text = word.replace(/^(?:--d\w*=|-[A-Za-z]*?d)/, '');
  const stated = [...text.matchAll(PARAMETER)].map((found) => found[1] as string);
  const hosts = stated.length > 0 || !text.includes('://') ? stated : [URL.parse(text)?.hostname ?? ''];
  return hosts.filter((host) => host !== '');
}

/** `psql 'host=a dbname=b'` and `psql postgres://a/b` are `psql --host a`: the string wins over the option. */
export function connectionSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const hosts = words.map(hostsIn);
  const others = words.filter((_, at) => hosts[at]?.length === 0);
  // All stand in one spelling: their number has no limit.
  return others.length === words.length ? [] : [[...hosts.flat().flatMap((host) => ['--host', host]), ...others]];
}
