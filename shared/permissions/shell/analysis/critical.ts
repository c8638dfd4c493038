/** Finds critical deletes: never without a human, in any mode and by any rule. */
import { behindProcLinks, fixedSegments, type NameTest, segmentsOf } from '../../paths/normalise.ts';
import { segmentTokens } from '../../paths/pattern.ts';
import { recordOf } from '../../programs/catalogue/index.ts';
import { isEnd } from '../../programs/inner-commands.ts';
import { isGlobOption, mayBecomeOption } from '../../programs/record/options.ts';
import type { Search } from '../../programs/record/record.ts';
import { foldText } from '../../text/characters.ts';
import { matchesTokens } from '../../text/glob.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import { climbing, climbingText } from '../syntax/climbing.ts';
import { programOf, type ShellCommand, sourcesOf } from '../syntax/command.ts';
import { type Field, literalField } from '../syntax/fields.ts';
import type { Atom } from '../syntax/word.ts';
import { WINDOWS_VARIABLES } from './unwrap-options.ts';

export interface Roots {
  readonly cwd: string;
  readonly projectRoot: string;
  readonly home: string;
}

const GLOB_TAILS: ReadonlySet<string> = new Set('* .* . {*,.*} .[!.]* .[^.]* .??* ..?* [!.]* [^.]*'.split(' '));

/** All in a folder, or the folder itself: `*`, `?*` and `**` leave next to nothing out. */
const isTail = (part: string): boolean =>
  GLOB_TAILS.has(part) ||
  (part.includes('*') && [...withoutClasses(part)].every((char) => char === '*' || char === '?'));

/** `[[:alnum:]]` and `[![:space:]]` are most characters. */
const withoutClasses = (part: string): string =>
  part.includes('[:') ? part.replaceAll(/\[[!^]?(?:\[:[a-z]+:\])+\]/g, '?') : part;

/** The folder that the target stands for: `/*`, `~/.` and `./*` are their folder; `undefined` if it cannot be known. */
function folderOf(target: string, dir: string, home: string): string[] | undefined {
  const parts = target.split('/').filter((part) => part !== '');
  while (parts.length > 0 && isTail(parts.at(-1) as string)) parts.pop();
  if (parts.some((part) => part.includes(UNKNOWN))) return undefined;
  const rest = parts.join('/');
  if (target.startsWith('/')) return segmentsOf(rest);
  if (parts[0] === '~' || parts[0] === '~+')
    return segmentsOf(`${parts[0] === '~' ? home : dir}/${parts.slice(1).join('/')}`);
  if (parts[0]?.startsWith('~') === true) {
    // `~name` may be the home; `~name/..` leads out of one beside it.
    return segmentsOf(parts.length === 1 ? home : `${home}/../${parts[0].slice(1)}/${parts.slice(1).join('/')}`);
  }
  return segmentsOf(`${dir}/${rest}`);
}

/** Each link of `/proc` for which a glob may stand. */
const PROC_LINKS: readonly NameTest[] = ['cwd', 'root'].map(
  (link) => (part, name) => part === name || ((name === link || !/^(?:cwd|root)$/.test(name)) && mayBeName(part, name)),
);
/** An open file: the text may open any folder, `3< ~`. */
const BEHIND_DESCRIPTOR = /^\/(?:dev|proc\/[^/]+)\/+fd\/+\d+\/+(?!\.\.)/;

/** The target, and where it leads by links of `/proc`. */
function behindLinks(target: string, dir: string, home: string): readonly string[] {
  const stated = /^[/~]/.test(target) ? target : `${dir}/${target}`;
  if (!/^[/~]/.test(stated)) return [target];
  return [target, ...PROC_LINKS.map((isName) => `/${behindProcLinks(stated, { cwd: dir, home }, isName).join('/')}`)];
}

/** `$x/*`, `${x}/`, `$x/..`: an empty variable makes it the root. */
function startsUnknown(target: string): boolean {
  if (!target.startsWith(UNKNOWN)) return false;
  const parts = target
    .slice(UNKNOWN.length)
    .split('/')
    .filter((part) => part !== '');
  return target.slice(UNKNOWN.length).startsWith('/') && parts.every((part) => part === '..' || isTail(part));
}

/** `/$x`, `/$x/*`, `~/$x`: an empty variable makes it the root or the home directory. */
function emptiesToRoot(target: string): boolean {
  if (!target.includes(UNKNOWN) || !(target.startsWith('/') || target.startsWith('~/'))) return false;
  const parts = target.slice(1).replaceAll(UNKNOWN, '').split('/');
  return parts.every((part) => part === '' || isTail(part));
}

/** Nothing but the unknown part, and what names a folder or all in it. */
const folderOnly = (target: string): boolean =>
  target
    .slice(UNKNOWN.length)
    .split('/')
    .every((part) => part === '' || isTail(part));

/** A drive of Windows, or all on it: `C:`, `c:/*`, `D:\\`, `/mnt/c`. */
const DRIVE = /^(?:[A-Za-z]:|\/(?:mnt|cygdrive)\/[A-Za-z])[\\/]*\*?$/;

/**
 * Whether the text chooses the value: the output of a command, a variable that it sets by means of others or of code, or the folder that a `cd` has
 * left.
 */
const isChosen = (atom: Atom | undefined): boolean =>
  atom?.kind === 'opaque' || (atom?.kind === 'var' && atom.name === 'OLDPWD');

const isRecursive = ({ argv }: ShellCommand): boolean =>
  recordOf(programOf(argv[0]) ?? '')?.search !== undefined ||
  argv.some(({ text }) => text === '--recursive' || /^-[A-Za-z]*[rR]/.test(text));

function isCritical(field: Field, command: ShellCommand, roots: Roots): boolean {
  const target = field.text;
  if (target === '') return false;
  if (startsUnknown(target) || emptiesToRoot(target)) return true;
  // The output of a command may be any of these folders: `rm -r "$(pwd)"`.
  if (target.startsWith(UNKNOWN) && folderOnly(target) && isChosen(field.atoms[0]) && isRecursive(command)) return true;
  if (DRIVE.test(target)) return true;
  const climbed = field.hasGlob ? climbing(field) : climbingText(target);
  const above = climbed.endsWith('/..') && refusesParent(command) ? `${climbed.slice(0, -2)}*` : climbed;
  if (BEHIND_DESCRIPTOR.test(target)) return true;
  return [target, above].some((reading) =>
    behindLinks(reading, command.dir, roots.home).some((each) => isCriticalFolder(each, command, roots)),
  );
}

// Every `rm` refuses a `..` at the end of a path, as POSIX says: `rm -r build/.*` stays within `build`, and `build/.*/.*` does not.
const refusesParent = ({ argv }: ShellCommand): boolean => programOf(argv[0]) === 'rm';

function isCriticalFolder(target: string, command: ShellCommand, roots: Roots): boolean {
  const folder = folderOf(target, command.dir, roots.home);
  if (folder === undefined) return false;
  // The root and its folders; a glob directly below the root names all of them.
  if (folder.length <= 1) return true;
  return [command.dir, roots.cwd, roots.projectRoot, roots.home].some((root) => {
    const whole = fixedSegments(root);
    return folder.length <= whole.length && folder.every((name, at) => mayBeName(name, whole[at] as string));
  });
}

/** `ap?` and `a*` may be `app`, and so is `APP` on many disks. */
function mayBeName(name: string, root: string): boolean {
  const [folded, wanted] = [foldText(name), foldText(root)];
  return folded === wanted || (/[*?[]/.test(folded) && matchesTokens(segmentTokens(folded), wanted));
}

/** A command word that is not literal may be any of those that delete. */
function mayDelete(field: Field | undefined): boolean {
  const name = programOf(field);
  return name === undefined ? field !== undefined : deletes(name) || name.search(WINDOWS_VARIABLES) >= 0;
}

/** `rd /s /q build`: such words are options. */
const ofWindows = (field: Field | undefined): boolean => /^(?:rd|rmdir|del|erase)$/i.test(programOf(field) ?? '');

export const deletes = (name: string): boolean => recordOf(name)?.deletes === true;

function targetsOf(command: ShellCommand): readonly Field[] {
  const operands = command.argv.slice(1);
  if (mayDelete(command.argv[0])) {
    const end = operands.findIndex((field) => field.text === '--');
    return operands.filter(
      ({ text }, index) =>
        (end >= 0 && index > end) || !(text.startsWith('-') || (/^\/[a-z]$/i.test(text) && ofWindows(command.argv[0]))),
    );
  }
  const name = programOf(command.argv[0]) ?? '';
  const { search, execs } = recordOf(name) ?? {};
  if (search !== undefined) return foundTargets(operands, search, execs ?? NOTHING);
  if (execs !== undefined) return matchedTargets(operands, execs);
  return recordOf(name)?.takesWords === true ? givenTargets(command) : emptiedTargets(name, operands);
}

/** `find ~ | xargs rm`, `ls | xargs rm`: as if find deleted them itself, or rm all that the folder holds. */
function givenTargets({ argv, stdin }: ShellCommand): readonly Field[] {
  if (!argv.slice(1).some((field) => field.isKnown && mayDelete(firstOf(field)))) return [];
  return sourcesOf(stdin).flatMap((source) => {
    const words = source.argv.slice(1);
    const { search, execs, printsNames } = recordOf(programOf(source.argv[0]) ?? '') ?? {};
    if (search !== undefined) return foundTargets([...words, DELETE], search, execs ?? NOTHING);
    if (execs !== undefined) return matchedTargets([...words, ...DELETING], execs);
    return printsNames === true ? foldersOrHere(words.filter(({ text }) => !text.startsWith('-'))) : [];
  });
}

/** The command of a word that holds a command line: `parallel 'rm {}'`. */
const firstOf = (field: Field): Field =>
  field.text.includes(' ') ? literalField(field.text.trim().split(' ')[0] as string) : field;

const foldersOrHere = (folders: readonly Field[]): readonly Field[] =>
  folders.length > 0 ? folders : [literalField('.')];

/** `fd . ~ -X rm`, `fd -HI -x rm`: fd without a pattern that chooses; its other options only leave out kinds of files. */
function matchedTargets(words: readonly Field[], runs: ReadonlySet<string>): readonly Field[] {
  const at = words.findIndex(({ text }) => runs.has(text));
  if (at < 0 || !words.slice(at + 1).some((field) => field.isKnown && mayDelete(field))) return [];
  const before = words.slice(0, at);
  if (before.some(({ text }) => CHOOSES.test(text))) return [];
  const [pattern, ...folders] = before.filter(
    ({ text }, index) =>
      !text.startsWith('-') && !/^-(?:t|d|-type|-max-depth|-min-depth)$/.test(before[index - 1]?.text ?? ''),
  );
  return pattern === undefined || NO_CHOICE.has(pattern.text) ? foldersOrHere(folders) : [];
}

/** `-e ts`, `-E x`, `--size`: options of fd that choose among files. */
const CHOOSES = /^-(?:[A-Za-z]*[eES]|-extension|-exclude|-size|-changed|-owner|-newer|-older)/;
const NO_CHOICE: ReadonlySet<string> = new Set(['.', '', '.*', '^', '*', '**', '.+', '$']);

const DELETE = literalField('-delete');
const DELETING = [literalField('-X'), literalField('rm')];

/** Programs that copy or pack may delete, too: `rsync --delete empty/ ~`, `tar --remove-files`, `zip -m`. */
function emptiedTargets(name: string, operands: readonly Field[]): readonly Field[] {
  const has = (option: RegExp): boolean => operands.some(({ text }) => option.test(text));
  const named = operands.filter(({ text }) => !text.startsWith('-'));
  // Many disks know it under capital letters, too.
  if (name.toLowerCase() === 'rsync') return has(/^--del/) ? named.slice(-1) : [];
  if (name.toLowerCase() === 'robocopy') return has(/^\/(?:mir|purge)$/i) ? named.slice(1, 2) : [];
  return (name === 'zip' && has(/^-[a-z]*m|^--move$/)) || has(/^--remove-files$/) ? named : [];
}

const NOTHING: ReadonlySet<string> = new Set();

/** The folders from which a find deletes every file that it meets. */
function foundTargets(operands: readonly Field[], search: Search, runs: ReadonlySet<string>): readonly Field[] {
  const words = operands.filter((field, index) => index > 0 || !search.leading.has(field.text));
  const start = words.findIndex(
    (field, at) =>
      field.text.startsWith('-') || field.text === '(' || field.text === '!' || (at > 0 && mayBecomeOption(field)),
  );
  if (start < 0 || !deletesAll(words.slice(start), search, runs)) return [];
  return start === 0 ? [literalField('.')] : words.slice(0, start);
}

/**
 * Whether some branch of the expression deletes before any test in it chooses: find goes from left to right, and `-delete -name x` has deleted by
 * then.
 */
function deletesAll(expression: readonly Field[], { neutral }: Search, runs: ReadonlySet<string>): boolean {
  const choice = new Choice();
  for (let at = 0; at < expression.length; at++) {
    const { text } = expression[at] as Field;
    if (choice.joins(text)) continue;
    if (!choice.isMade && mayDeleteAt(expression, at, runs)) return true;
    if (runs.has(text)) at = endOfRun(expression, at);
    else if (text.startsWith('-')) choice.test(neutral.has(text) || matchesAll(text, expression[at + 1]));
  }
  return false;
}

/** `-name '*'` leaves nothing out. */
const matchesAll = (test: string, pattern: Field | undefined): boolean =>
  /^-i?(?:name|path|wholename)$/.test(test) && pattern !== undefined && isTail(pattern.text);

/** Whether a test of find has chosen among the files by now. */
class Choice {
  readonly #groups: { readonly outside: boolean; readonly isNegated: boolean; all: boolean }[] = [];
  #isNegated = false;
  isMade = false;

  /** Takes an operator or a bracket; false for any other word. */
  joins(text: string): boolean {
    switch (text) {
      case '-o':
      case '-or':
      case ',':
        this.#nextBranch();
        return true;
      case '!':
      case '-not':
        this.#isNegated = true;
        return true;
      case '(':
        this.#groups.push({ outside: this.isMade, isNegated: this.#isNegated, all: true });
        this.#isNegated = false;
        return true;
      case ')':
        this.#closeGroup();
        return true;
      default:
        return false;
    }
  }

  /** A negated test does not choose, because it leaves nearly everything. */
  test(isNeutral: boolean): void {
    this.isMade ||= !isNeutral && !this.#isNegated;
    this.#isNegated = false;
  }

  #nextBranch(): void {
    const group = this.#groups.at(-1);
    if (group !== undefined) group.all &&= this.isMade;
    this.isMade = group?.outside === true;
  }

  /** A group chooses if each of its branches does and it is not negated. */
  #closeGroup(): void {
    const group = this.#groups.pop();
    if (group !== undefined) this.isMade = group.outside || (group.all && this.isMade && !group.isNegated);
  }
}

function mayDeleteAt(expression: readonly Field[], at: number, runs: ReadonlySet<string>): boolean {
  const field = expression[at] as Field;
  if (runs.has(field.text)) {
    if (expression[at + 1]?.isKnown === false) return true;
    return expression.slice(at, endOfRun(expression, at)).some((word) => word.isKnown && mayDelete(word));
  }
  // `-del[e]te` is an option, too, where a file has its name.
  if (field.text.startsWith('-')) return field.text === '-delete' || isGlobOption(field);
  // Behind a folder a word that is not certain may be `-delete`.
  return !(expression[at - 1]?.text ?? '').startsWith('-') && mayBecomeOption(field);
}

/** Where the command behind `-exec` and its like ends. */
function endOfRun(expression: readonly Field[], start: number): number {
  let at = start;
  while (at < expression.length && !isEnd(expression, at)) at++;
  return at;
}

/** Words that are tried as programs within those of one that nobody described. No command in earnest names so many. */
const MAX_TRIED = 16;

/** `ccache rm -rf /`, `mytool --exec=rm -rf /`: a program that nobody described may run its words. */
function targetsBehind(command: ShellCommand): readonly Field[] {
  const name = programOf(command.argv[0]);
  if (name === undefined || recordOf(name) !== undefined) return [];
  const found: Field[] = [];
  // The words behind a delete are all its own: a second one of that name has no others.
  const deleted = new Set<string>();
  let tried = 0;
  for (let at = 1; at < command.argv.length; at++) {
    const field = programIn(command.argv[at] as Field);
    const inner = programOf(field);
    if (inner === undefined || deleted.has(inner) || !startsDelete(inner, programOf(command.argv[at - 1]))) continue;
    tried += 1;
    if (tried > MAX_TRIED) return [literalField('/')];
    if (deletes(inner)) deleted.add(inner);
    found.push(...targetsOf({ ...command, argv: [field, ...command.argv.slice(at + 1)] }));
  }
  return found;
}

/** The program of `--exec=rm`. */
const programIn = (field: Field): Field =>
  field.isKnown && field.text.startsWith('-') && field.text.includes('=')
    ? literalField(field.text.slice(field.text.indexOf('=') + 1))
    : field;

/** Programs that delete only with some of their options. */
const MAY_EMPTY: ReadonlySet<string> = new Set('rsync robocopy zip tar gtar bsdtar'.split(' '));

/** `rm`, and `find`, `xargs` or `rsync`, which may delete; not that of `git rm`. */
export function startsDelete(name: string, before: string | undefined): boolean {
  const record = recordOf(name);
  // Asked of each word of a text: most are no program.
  if (record === undefined) return false;
  const { search, execs, takesWords } = record;
  const may = record.deletes === true || search !== undefined || execs !== undefined || takesWords === true;
  return (may || MAY_EMPTY.has(name.toLowerCase())) && recordOf(before ?? '')?.subcommands === undefined;
}

/** A message when the command is a critical delete (D14). `looked`: words that were examined before. */
export function criticalDelete(command: ShellCommand, roots: Roots, looked: Set<Field>): string | undefined {
  const hit = [...targetsOf(command), ...targetsBehind(command)].find((field) => {
    if (looked.has(field)) return false;
    looked.add(field);
    return [command.dir, ...command.otherDirs].some((dir) => isCritical(field, { ...command, dir }, roots));
  });
  return hit === undefined
    ? undefined
    : 'The command deletes a top-level folder, the home or working directory, or all in it: a person must decide.';
}
