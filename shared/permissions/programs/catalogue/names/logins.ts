/** Spells the user and the host of a login, and units of systemd, for rules that name one. */

const VALUED = /^-[a-zA-Z]*[BbcDEeFIiJLlmOopQRSWw]$/;

/** `ssh -l me host` and `ssh -o User=me host` are `ssh me@host`. */
export function loginSpellings(words: readonly string[]): readonly (readonly string[])[] {
  let user: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const next = words[at + 1] ?? '';
    const [, attached] = /^-[a-zA-Z]*?l(.*)$/s.exec(word) ?? [];
    if (attached !== undefined) user ??= attached === '' ? next : attached;
    const [, setting] = /^-[a-zA-Z]*?o(.*)$/s.exec(word) ?? [];
    if (setting !== undefined) user ??= /^user[= ](.*)$/is.exec(setting === '' ? next : setting)?.[1];
    if (!word.startsWith('-')) {
      const host = word.replace(/^ssh:\/\//i, '');
      return user === undefined || host.includes('@') ? [] : [[`${user}@${host}`, ...words.slice(at + 1)]];
    }
    if (VALUED.test(word)) at += 1;
  }
  return [];
}

/** `nginx.service` is `nginx`. */
export function unitSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const short = words.map((word) => word.replace(/\.service$/, ''));
  const long = words.map((word) => (/^-|\./.test(word) ? word : `${word}.service`));
  return [short, long];
}
