/**
 * Reads the words of some programs as their own option parsers do.
 *
 * A second opinion on the gate's records.
 */

interface Grammar {
  /** Short options without a value, then those that take the next word or the rest of the cluster. */
  readonly flags: string;
  readonly values: string;
  /** Short options whose value is attached or absent. */
  readonly optionals?: string;
  readonly long: readonly string[];
  /** Long options with a value. */
  readonly longValues: readonly string[];
  /** Options that run, load or write, by their short or long name. */
  readonly harmful: readonly string[];
  /** From how many operands on the program writes one. */
  readonly writesFrom?: number;
}

const list = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  sort: {
    flags: 'bdfghiMnRrVzcCmsu',
    values: 'ktSTo',
    long: list(
      'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse version-sort zero-terminated merge stable unique debug check',
    ),
    longValues: list(
      'key field-separator buffer-size temporary-directory output compress-program files0-from random-source batch-size parallel sort',
    ),
    harmful: list('o T output compress-program temporary-directory'),
  },
  shuf: {
    flags: 'ezr',
    values: 'nio',
    long: list('echo zero-terminated repeat'),
    longValues: list('head-count input-range output random-source'),
    harmful: list('o output'),
  },
  uniq: {
    flags: 'cdDiuz',
    values: 'fsw',
    long: list('count repeated ignore-case unique zero-terminated all-repeated group'),
    longValues: list('skip-fields skip-chars check-chars'),
    harmful: [],
    writesFrom: 2,
  },
  sed: {
    flags: 'nErsuz',
    values: 'efl',
    optionals: 'i',
    long: list(
      'quiet silent regexp-extended separate unbuffered null-data posix debug sandbox follow-symlinks in-place',
    ),
    longValues: list('expression file line-length'),
    harmful: list('i in-place f file'),
  },
  date: {
    flags: 'uRj',
    values: 'dfrs',
    optionals: 'I',
    long: list('utc universal rfc-email debug iso-8601'),
    longValues: list('date file reference set rfc-3339 resolution'),
    harmful: list('s set'),
  },
  wc: {
    flags: 'clmLw',
    values: '',
    long: list('bytes chars lines max-line-length words'),
    longValues: list('files0-from total'),
    harmful: list('files0-from'),
  },
  grep: {
    flags: 'EFGPiyvwxcLlqsbHhnoTUzaIrRZV',
    values: 'efmABCDd',
    long: list('ignore-case invert-match count recursive line-number files-with-matches'),
    longValues: list('regexp file max-count include exclude exclude-from exclude-dir'),
    harmful: list('f file exclude-from'),
  },
  split: {
    flags: 'dxeu',
    values: 'abClnt',
    long: list('numeric-suffixes hex-suffixes elide-empty-files unbuffered verbose'),
    longValues: list('suffix-length additional-suffix bytes line-bytes lines number separator filter'),
    harmful: list('filter'),
  },
};

/** Why the words that a program got must not pass under a prefix rule, as far as its grammar is known here. */
export function effectOf(program: string, words: readonly string[]): string | undefined {
  const grammar = GRAMMARS[program];
  if (grammar === undefined) return undefined;
  let operands = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      operands += words.length - at - 1;
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operands++;
      continue;
    }
    const read = word.startsWith('--') ? longOption(grammar, word.slice(2)) : cluster(grammar, word.slice(1));
    // An unknown option ends the program.
    if (read === undefined) return undefined;
    const harm = read.names.find((name) => grammar.harmful.includes(name));
    if (read.takesNext && at + 1 >= words.length) return undefined;
    if (harm !== undefined) return `option ${harm}`;
    if (read.takesNext) at++;
  }
  return grammar.writesFrom !== undefined && operands >= grammar.writesFrom
    ? `operand ${grammar.writesFrom}`
    : undefined;
}

interface Read {
  readonly names: readonly string[];
  readonly takesNext: boolean;
}

function longOption({ long, longValues }: Grammar, text: string): Read | undefined {
  const name = text.split('=')[0] ?? '';
  const all = [...long, ...longValues];
  const meant = all.includes(name) ? [name] : all.filter((each) => each.startsWith(name));
  const only = meant[0];
  if (only === undefined || meant.length > 1) return undefined;
  return { names: [only], takesNext: longValues.includes(only) && !text.includes('=') };
}

function cluster({ flags, values, optionals = '' }: Grammar, letters: string): Read | undefined {
  const names: string[] = [];
  for (const [index, letter] of [...letters].entries()) {
    names.push(letter);
    if (optionals.includes(letter)) return { names, takesNext: false };
    if (values.includes(letter)) return { names, takesNext: index === letters.length - 1 };
    if (!flags.includes(letter)) return undefined;
  }
  return { names, takesNext: false };
}
