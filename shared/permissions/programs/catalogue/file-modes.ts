/** Spells the mode of `chmod` in digits and in letters, for deny and ask rules. */

const OCTAL = /^0*([0-7]{1,4})$/;
const CLAUSE = /^([ugoa]*)([+=])([rwx]+)$/;
const BITS: ReadonlyMap<string, number> = new Map([
  ['r', 4],
  ['w', 2],
  ['x', 1],
]);
const ALL = 7;

/** The same words with their first operand, if that is a mode, in each other way. */
export function modeSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const octal = octalOf(words[at] ?? '');
  const modes = octal === undefined ? ofAll(words[at] ?? '') : [octal, `0${octal}`, ...lettersOf(octal)];
  return modes.map((mode) => [...words.slice(0, at), mode, ...words.slice(at + 1)]);
}

const ALL_USERS = ['a', '', 'ugo'];

/** `a+x` is `+x`. */
function ofAll(mode: string): readonly string[] {
  const change = /^(?:a|ugo)?([-+][rwxXst]+)$/.exec(mode)?.[1];
  return change === undefined ? [] : ALL_USERS.map((who) => `${who}${change}`);
}

/** Three digits, or four with the special bits; letters count where they say all of three digits. */
function octalOf(mode: string): string | undefined {
  const digits = OCTAL.exec(mode)?.[1];
  if (digits !== undefined) return digits.padStart(3, '0');
  const found = new Map<string, number>();
  for (const clause of mode.split(',')) {
    const [, who, sign, letters] = CLAUSE.exec(clause) ?? [];
    if (letters === undefined) return undefined;
    const bits = [...new Set(letters)].reduce((sum, letter) => sum + (BITS.get(letter) ?? 0), 0);
    // A `+` adds to a mode that is not known here, unless it gives everything.
    if (sign === '+' && bits !== ALL) return undefined;
    for (const each of who === '' || who?.includes('a') === true ? 'ugo' : (who ?? '')) found.set(each, bits);
  }
  return found.size < 3 ? undefined : [...'ugo'].map((each) => found.get(each)).join('');
}

function lettersOf(octal: string): readonly string[] {
  const [user, ...others] = octal;
  if (octal.length !== 3 || user === '0' || others.some((digit) => digit !== user)) return [];
  const given = [...BITS].filter(([, bit]) => (Number(user) & bit) !== 0);
  const letters = given.map(([letter]) => letter).join('');
  const signs = Number(user) === ALL ? ['=', '+'] : ['='];
  return signs.flatMap((sign) => ALL_USERS.map((who) => `${who}${sign}${letters}`));
}

/** `chown root:staff` changes what `chown root` does, and more; root is user 0. */
export function ownerSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const [owner = '', group] = words[at]?.split(/[:.]/) ?? [];
  if (owner === '') return [];
  const users = owner === '0' ? ['root'] : owner === 'root' ? ['0'] : [];
  const names = [
    ...(group === undefined ? [] : [owner]),
    ...users.flatMap((user) => [user, `${user}${words[at]?.slice(owner.length)}`]),
  ];
  return names.map((name) => words.with(at, name));
}
