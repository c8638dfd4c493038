/** Spells the user and the host of a login, and units of systemd, for rules that name one. */

/** Letters of ssh without a value, and those with one. */
const FLAGS = '46AaCfGgKkMNnqsTtVvXxYy';
const VALUED = new RegExp(`^-[${FLAGS}]*([BbcDEeFIiJLlmOopQRSWw])(.*)$`, 's');

/** `ssh -l me host`, `ssh host -l me` and `ssh -o User=me host` are `ssh me@host`. */
export function loginSpellings(words: readonly string[]): readonly (readonly string[])[] {
  let user: string | undefined;
  let host: string | undefined;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] as string;
    if (!word.startsWith('-')) {
      // Options go on behind the host, up to the command.
      if (host !== undefined) break;
      host = word.replace(/^ssh:\/\//i, '');
      continue;
    }
    const [, letter, attached] = VALUED.exec(word) ?? [];
    if (letter === undefined || attached === undefined) continue;
    if (attached === '') at += 1;
    const value = attached === '' ? (words[at] ?? '') : attached;
    if (letter === 'l') user ??= value;
    if (letter === 'o') user ??= /^\s*user\s*[=\s]\s*"?([^"\s]+)/i.exec(value)?.[1];
  }
  return user === undefined || host === undefined || host.includes('@')
    ? []
    : [[`${user}@${host}`, ...words.slice(at)]];
}

/** `nginx.service` is `nginx`. */
export function unitSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const short = words.map((word) => word.replace(/\.service$/, ''));
  const long = words.map((word) => (/^-|\./.test(word) ? word : `${word}.service`));
  return [short, long];
}
