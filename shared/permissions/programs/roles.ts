/** Says of each word of a command whether it may name a file, by the program's record. */
import type { Field } from '../shell/syntax/fields.ts';
import type { PathRoles } from './record/record.ts';
import type { OperandPositions, Resolved } from './resolve.ts';

/**
 * `path`: it may name a file. `glob`: the program matches it against file names. `pathspec`: both a file and such a pattern.
 * `text`: a message, a pattern, an exclusion or a harmless script, which names none.
 */
export type Role = 'path' | 'glob' | 'pathspec' | 'text';

/** `printed`: what the command prints goes to whoever reads the output, and to no other command. */
export function roleOf(index: number, argv: readonly Field[], resolved: Resolved | undefined, printed: boolean): Role {
  if (resolved === undefined) return 'path';
  const roles = resolved.record.paths ?? resolved.program.paths;
  if (roles === undefined) return 'path';
  // Words before the sub-command are options of the program itself.
  const from = argv.length - resolved.words.length;
  if (index < from) return 'path';
  if (roles.text === true)
    return (prints(resolved) && !printed) || isOfOption(index, argv, roles.files) ? 'path' : 'text';
  if (isCompared(index, argv, resolved, roles) || isExcluded(index, argv)) return 'text';
  return roleByOptions(index, from, argv, resolved, roles);
}

/** `[ ! A = B ]`: with more words than these a test may read them otherwise. */
const MAX_COMPARED = 5;

const isCompared = (index: number, argv: readonly Field[], { words }: Resolved, { compared }: PathRoles): boolean =>
  compared !== undefined &&
  words.length <= MAX_COMPARED &&
  [index - 1, index + 1].some((at) => compared.has(argv[at]?.text ?? ''));

/** Whether the word is the value of one of the options, in the next word or attached. */
function isOfOption(index: number, argv: readonly Field[], options: ReadonlySet<string> | undefined): boolean {
  if (options === undefined) return false;
  const { text } = argv[index] as Field;
  const name = text.startsWith('--') ? (text.split('=')[0] as string) : text.slice(0, 2);
  return options.has(argv[index - 1]?.text ?? '') || (name !== text && options.has(name));
}

const prints = ({ program }: Resolved): boolean => program.prints === true;

function roleByOptions(
  index: number,
  from: number,
  argv: readonly Field[],
  resolved: Resolved,
  roles: PathRoles,
): Role {
  const { text } = argv[index] as Field;
  const { ends, first } = positionsIn(argv, from, resolved, roles);
  if (roles.revisions === true && index < ends && ANCESTOR.test(text) && !argv.some(isNoRepository)) return 'text';
  if (index < ends) {
    if (text.startsWith('-') && text.length > 1) return attachedRole(argv[index] as Field, roles);
    const before = optionOf(argv[index - 1] as Field, roles, resolved);
    // The option may itself be the value of another one.
    if (before !== undefined && standsAlone(argv[index - 2], resolved)) {
      if (before === 'script') return scriptRole(argv[index] as Field, roles);
      if (before === 'variable') return variableRole(argv, first, roles);
      return before === 'glob' && isExclusion(argv, index) ? 'text' : before;
    }
  }
  if (index === first) {
    const isFile = mayBeFile(argv[index - 1], resolved) || (roles.patternOrFile === true && mayBeNamed(argv, index));
    return isFile ? 'path' : scriptRole(argv[index] as Field, roles);
  }
  return roles.globOperands === true ? 'pathspec' : 'path';
}

/** `main~1`, `origin/main~2`. */
const ANCESTOR = /^(?:(?:origin|upstream)\/)?[A-Za-z][\w-]*~\d*$/;
/** `git diff --no-index` compares any files. */
const isNoRepository = ({ text }: Field): boolean => text === '--no-index';

/** `grep --exclude-from FILE PATTERN`: the word behind an option that reads, writes or runs something is its value. */
const mayBeFile = (before: Field | undefined, { record }: Resolved): boolean =>
  before !== undefined && !before.text.includes('=') && record.options?.harmful.has(before.text) === true;

/** `yq x.yml` and, as its only operand, `yq .x`: no filter where there is such a file. `.a.b f` is one. */
function mayBeNamed(argv: readonly Field[], index: number): boolean {
  const { text } = argv[index] as Field;
  // A folder may have any name: `yq 'a|b/../.env'`.
  if (!text.includes('/') && IS_FILTER.test(text)) return false;
  return !text.startsWith('.') || argv.slice(index + 1).every((word) => word.text.startsWith('-'));
}

/** `.[] | .env`, `map(.key)`, `.tls[0].key`: signs that no name of a file in earnest has. */
const IS_FILTER = /[|"]|\[\]|\(\.|^\.[^/[]*\[|^to_entries\b/;

/** The value of a variable is a name wherever the script may take it for one: `awk -v f=.env '{ getline < f }'`. */
function variableRole(argv: readonly Field[], first: number, roles: PathRoles): Role {
  const script = argv[first];
  return script === undefined ? 'path' : scriptRole(script, roles);
}

/** A pattern, or a script that may name files. */
const scriptRole = ({ text, isKnown }: Field, { script }: PathRoles): Role =>
  script === undefined || (isKnown && script(text)) ? 'text' : 'path';

/** Remembered: it is the same for each word of the command. */
function positionsIn(argv: readonly Field[], from: number, resolved: Resolved, roles: PathRoles): OperandPositions {
  const { memo } = resolved;
  if (memo.positions === undefined) {
    const ends = endOfOptions(argv, from);
    memo.positions = {
      ends,
      first: roles.pattern === undefined ? -1 : firstOperand(argv, from, ends, roles, resolved),
    };
  }
  return memo.positions;
}

function endOfOptions(argv: readonly Field[], from: number): number {
  const dashes = argv.findIndex(({ text }, at) => at >= from && text === '--');
  return dashes < 0 ? argv.length : dashes;
}

/** `-m`, `--exclude`, and `-am`, of which the last letter takes the next word. */
function optionOf(
  { text }: Field,
  { texts, globs, scripts, variables }: PathRoles,
  resolved: Resolved,
): 'text' | 'glob' | 'script' | 'variable' | undefined {
  if (!text.startsWith('-')) return undefined;
  for (const name of [text, lastOfCluster(text, resolved)]) {
    if (texts?.has(name)) return 'text';
    if (globs?.has(name)) return 'glob';
    if (scripts?.has(name)) return 'script';
    if (variables?.has(name)) return 'variable';
  }
  return undefined;
}

/** `-m` of `-am`; the whole of `-fe`, because `e` is the value of `-f`, and of a long option. */
function lastOfCluster(text: string, { record }: Resolved): string {
  const isOption = [...text.slice(1, -1)].every((letter) => record.options?.flags.includes(letter));
  return isOption ? `-${text.at(-1)}` : text;
}

/** Whether `-e` or another of these stands in a cluster before a letter that takes the rest: the `x` of `-nex` is its value. */
function holdsLetter(text: string, names: ReadonlySet<string>, { record }: Resolved): boolean {
  for (const letter of text.slice(1)) {
    if (names.has(`-${letter}`)) return true;
    if (record.options?.values.includes(letter) || record.options?.optionals.includes(letter)) return false;
  }
  return false;
}

/** `--exclude-dir=.git`, `-m.env`. */
function attachedRole({ text, isKnown }: Field, roles: PathRoles): Role {
  const { texts, globs, scripts } = roles;
  const isLong = text.startsWith('--');
  const name = isLong ? (text.split('=')[0] as string) : text.slice(0, 2);
  if (texts?.has(name)) return 'text';
  // A cluster such as `-ne` is read as a word that may name a file.
  if (scripts?.has(name) && isKnown && roles.script?.(text.slice(isLong ? name.length + 1 : 2)) === true) return 'text';
  return globs?.has(name) ? 'glob' : 'path';
}

/** Whether the word before an option leaves it one: no option that may take it as its value. */
export function standsAlone(before: Field | undefined, { record: { options } }: Resolved): boolean {
  if (before === undefined || !before.text.startsWith('-') || before.text.includes('=')) return true;
  const { text } = before;
  if (options?.long.has(text) || options?.words?.get(text) === 0) return true;
  return [...text.slice(1)].every((letter) => options?.flags.includes(letter));
}

/** `find -not -path X`, `find -path X -prune`: X is left out. */
function isExclusion(argv: readonly Field[], index: number): boolean {
  const negation = argv[index - 2]?.text;
  return (
    negation === '!' ||
    negation === '-not' ||
    argv[index + 1]?.text === '-prune' ||
    argv[index]?.text.startsWith('!') === true
  );
}

/** `find -not -regex X` */
const isExcluded = (index: number, argv: readonly Field[]): boolean =>
  /^-i?regex$/.test(argv[index - 1]?.text ?? '') && isExclusion(argv, index);

/** Programs take the beginning of a long option for it: `--rege=x` is `--regexp=x`, and then no operand is the pattern. */
const isOneOf = (written: string, names: ReadonlySet<string>): boolean =>
  names.has(written) || (written.length > 2 && [...names].some((name) => name.startsWith(written)));

/** The first word that is neither an option nor the value of one that takes text; -1 where an option gives the pattern. */
function firstOperand(
  argv: readonly Field[],
  from: number,
  ends: number,
  roles: PathRoles,
  resolved: Resolved,
): number {
  const names = roles.pattern ?? new Set<string>();
  const given = argv.some(({ text }, at) => {
    if (at < from || !text.startsWith('-')) return false;
    return text.startsWith('--') ? isOneOf(text.split('=')[0] as string, names) : holdsLetter(text, names, resolved);
  });
  if (given) return -1;
  return argv.findIndex(({ text }, at) => {
    const isOption = text.startsWith('-') && text.length > 1;
    if (at < from || (isOption && at <= ends)) return false;
    return optionOf(argv[at - 1] as Field, roles, resolved) === undefined;
  });
}
