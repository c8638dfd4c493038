/** Defines a program's record: every fact that rules, paths and `explain` need about the program. */
import type { Field } from '../../shell/syntax/fields.ts';
import { type OptionSpec, optionSpec, type ReadOption, type SpecText } from './options.ts';

/**
 * How a command names another one in its own words, as in `timeout 5 CMD` or `uv run CMD`. Deny and ask rules see through all of them.
 * `allow` says what an allow rule covers: `inner` a command within that a rule covers, `named` one that the rule itself names behind the
 * runner, `options` what the record's options let pass, `never` nothing.
 */
export interface Runner {
  /** Options that take the next word as their value. */
  readonly values: ReadonlySet<string>;
  /** Options that stand alone; behind any other, every later word is tried as the command. */
  readonly flags: ReadonlySet<string>;
  /** Operands before the command, such as the duration of `timeout`. */
  readonly operands: number;
  readonly allow: 'inner' | 'named' | 'options' | 'never';
  /** Options that name the folder in which the command runs. */
  readonly folders?: ReadonlySet<string> | undefined;
  /** Options with which an allow does not see through it: they take variables away. */
  readonly unsets?: ReadonlySet<string> | undefined;
  /** `NAME=value` words may stand before the command. */
  readonly assignments?: boolean | undefined;
  /** Options whose value is code for a shell. */
  readonly code?: ReadonlySet<string> | undefined;
  /** The rest is joined and given to a shell. */
  readonly joins?: boolean | undefined;
  /** Any later word may be the command, or a whole command line: the program's own words are too many to know. */
  readonly anywhere?: boolean | undefined;
}

/** Values that an option may have. */
interface Allowed {
  has(value: string): boolean;
}

/** Code that a shell or an interpreter takes from its words. */
export interface Interpreter {
  /** The code is text of a POSIX shell, and is read like the command itself. */
  readonly shell?: boolean | undefined;
  /** The language is that which the gate reads, so that nothing but the commands in the code runs. */
  readonly isRead?: boolean | undefined;
  /** The options are those of PowerShell. */
  readonly ofWindows?: boolean | undefined;
  /** Options whose value is code. */
  readonly code: ReadonlySet<string>;
  /** Options without a value that change neither what runs nor what is loaded. */
  readonly flags: ReadonlySet<string>;
  /** Harmless options that take the next word, and what it may be; `undefined` is anything. */
  readonly values: ReadonlyMap<string, Allowed | undefined>;
  /** Words before the script that name no program, as in `deno run x.ts`. */
  readonly words: ReadonlySet<string>;
  /** Operands that are not code; further ones are. */
  readonly operands?: number | undefined;
  /** Stands at the end of a script's name that is given without one. */
  readonly ending?: string | undefined;
  /** `-m` names a module. */
  readonly modules?: boolean | undefined;
  /** The interpreter reads options behind an operand, too: `psql db -c …`. */
  readonly readsOn?: boolean | undefined;
}

/** Tells which words name files. Without an entry every word may. */
export interface PathRoles {
  /** Words are printed, sent or compared, and never opened. */
  readonly text?: boolean | undefined;
  /** Signs between two texts that are compared. */
  readonly compared?: ReadonlySet<string> | undefined;
  /** Options whose value is a file all the same. */
  readonly files?: ReadonlySet<string> | undefined;
  /** The first operand is a file where there is one of that name. */
  readonly patternOrFile?: boolean | undefined;
  /** The first operand is a pattern, script or filter, unless one of these options gives it. */
  readonly pattern?: ReadonlySet<string> | undefined;
  /** Options whose value is such a script. */
  readonly scripts?: ReadonlySet<string> | undefined;
  /** Options whose value the script finds in a variable. */
  readonly variables?: ReadonlySet<string> | undefined;
  /** Whether such a script is only text; another one may name files. */
  readonly script?: ((text: string) => boolean) | undefined;
  /** The files that a word names without a blank before them, as a script does: `w.env` of sed. `before` is the word before it. */
  readonly scriptFiles?: ((text: string, before: string) => readonly string[]) | undefined;
  /** Options whose value is a message, a format, a pattern or an exclusion. */
  readonly texts?: ReadonlySet<string> | undefined;
  /** Options whose value is a glob that the program matches against file names itself. */
  readonly globs?: ReadonlySet<string> | undefined;
  /** `main~1` is a commit, and no short name of Windows. */
  readonly revisions?: boolean | undefined;
  /** The program itself matches its operands as globs against file names. */
  readonly globOperands?: boolean | undefined;
}

/**
 * A prefix covers a command if the rule names the program, or the sub-command too, or all of its words but the last (`terraform state`); with
 * `never` no rule helps.
 */
type Grant = 'program' | 'group' | 'subcommand' | 'never';

/** Everything that is known of a program or of one of its sub-commands. */
export interface CommandRecord {
  /** Default `program`. */
  readonly grant?: Grant | undefined;
  /** The words that a rule has to name besides the sub-command, where the command prints a secret. Undefined where it prints none. */
  readonly reveals?: ((words: readonly Field[]) => readonly string[] | undefined) | undefined;
  /** The program's options, with the harm that they do; absent: only options with telling names are left out of a prefix. */
  readonly options?: OptionSpec | undefined;
  readonly runner?: Runner | undefined;
  /** Words between which and `;`, `+` or the end another command stands, as in `find -exec`. */
  readonly execs?: ReadonlySet<string> | undefined;
  readonly search?: Search | undefined;
  readonly interpreter?: Interpreter | undefined;
  /** Takes commands from its standard input: always, or where its words hold no command, and one of these options if there are any. */
  readonly stdin?: boolean | ReadonlySet<string> | undefined;
  /** Options of a program that is no runner, whose value is a command line all the same. */
  readonly commandOptions?: ReadonlySet<string> | undefined;
  /** The program's words are code of the shell itself: `eval`, `trap`. */
  readonly evaluates?: boolean | undefined;
  /** The program changes nothing and runs nothing under the options that its record allows. */
  readonly reads?: boolean | ((operands: readonly Field[], options: readonly ReadOption[]) => boolean) | undefined;
  /** The program's operands are addresses, and its options may be anywhere among them. */
  readonly fetches?: boolean | undefined;
  /** The operands may be hosts, as `HOST` or `USER@HOST`, or with a path only (`HOST:PATH`); `service`: it sends any text there. */
  readonly connects?: 'host' | 'path' | 'service' | undefined;
  /** The program prints names of files that are there, however they begin. */
  readonly printsNames?: boolean | undefined;
  /** Letters of the options by which the program goes into folders and reads or changes what is there; empty: it always does. */
  readonly walks?: string | undefined;
  /** The option that names a file which the input may be instead: `psql -f x` does what `psql < x` does. */
  readonly inputOption?: string | undefined;
  /** The program changes the files that a patch on its standard input, or in one of its words, names. */
  readonly patches?: boolean | undefined;
  /** The program puts the words of its input behind those of the command that it runs. */
  readonly takesWords?: boolean | undefined;
  /** The program prints its words, which another command may then take for names or code. */
  readonly prints?: boolean | undefined;
  /** The program leaves out lines or puts them in order, and changes none. */
  readonly passesLines?: boolean | undefined;
  /** The words behind so many operands are a command of the same program: `yarn workspace a add x`. A comma or `+` parts several. */
  readonly nested?: number | undefined;
  /** With these words the program prints a location, a revision, a number or a date, and never a text of the caller's choice. */
  readonly printsLocation?: ((words: readonly string[]) => boolean) | undefined;
  /** The program prints file names, each of which begins with a folder or a name that the command states or the project holds. */
  readonly lists?: boolean | ((options: readonly ReadOption[]) => boolean) | undefined;
  /** The program needs no rule where its words are harmless: a built-in that changes nothing outside of the text. */
  readonly free?: ((words: readonly Field[]) => boolean) | undefined;
  /** The program does no more than edit the files that it names, where its options are covered. */
  readonly edits?: boolean | undefined;
  /** With these options the program reads its operands and writes the last one alone. */
  readonly copies?: ((options: readonly ReadOption[]) => boolean) | undefined;
  /** The program deletes the files or folders that it names. */
  readonly deletes?: boolean | undefined;
  readonly paths?: PathRoles | undefined;
  /** The files that the program's words make it write, judged like redirections. */
  readonly writes?: ((operands: readonly Field[], options: readonly ReadOption[]) => readonly Field[]) | undefined;
  /** Gives variables a value that cannot be known here, or reads their names as code. */
  readonly variables?: SetsVariables | undefined;
  /** A built-in that changes the folder of the shell: to the one that it names, back to an earlier one, or either. */
  readonly moves?: 'to' | 'back' | 'either' | undefined;
  /** A built-in that gives the variables in its words values or attributes, or takes them away. */
  readonly declares?: 'sets' | 'unsets' | undefined;
  /** A built-in after which the same words name other commands, files or values. */
  readonly changesReading?: boolean | undefined;
  /** A built-in that runs its words, or a file, as code of the same shell. */
  readonly runsHere?: 'words' | 'file' | undefined;
  /** The command behind it may be a built-in, which acts on the same shell. */
  readonly runsBuiltins?: boolean | undefined;
  /** Files that the program writes without naming them: `git config` writes `.git/config`. */
  readonly implied?: ((words: readonly string[]) => Iterable<string>) | undefined;
  readonly subcommands?: Subcommands | undefined;
  /** The program's words mean the same behind these: `docker image push` is `docker push`. */
  readonly also?: string | undefined;
  /** Other operands that say the same, for deny and ask rules: of `git push origin HEAD:main` it is `origin main`. */
  readonly means?:
    | ((operands: readonly string[], options: readonly string[]) => readonly (readonly string[])[])
    | undefined;
  /** The words in other spellings, for deny and ask rules: `-KILL 1` of `kill` is `-9 1`. */
  readonly spellings?: ((words: readonly string[]) => readonly (readonly string[])[]) | undefined;
  /** Operands that it acts on and does not name, for deny and ask rules that name them: `git push --all`. */
  readonly reaches?: ((words: readonly Field[]) => Reach | undefined) | undefined;
  /** Options that stand for every value of another one, for deny and ask rules that name a value: `kubectl -A` and `-n prod`. */
  readonly every?: { readonly option: RegExp; readonly valued: RegExp } | undefined;
  /** The program makes several addresses of `{a,b}` and `[1-9]` in one. */
  readonly expands?: boolean | undefined;
  /** In its words and code, capital letters mean the same, and so do several blanks: `DROP  table`. */
  readonly anyCase?: boolean | undefined;
  /** The one spelling of a package that its registry knows under several: `Evil_Pkg` is `evil-pkg` to pip. */
  readonly plainName?: ((name: string) => string) | undefined;
  /** A script of the project, in which an interpreter may run it, and whose own words are judged: `php artisan tinker`. */
  readonly isScript?: boolean | undefined;
  /** Each operand is one thing to do: `make build deploy` is `make deploy`, too. */
  readonly goals?: boolean | undefined;
  /** The same is done to each operand, or to each behind `--`: `kill 1 2` is `kill 2`, too. */
  readonly each?: boolean | 'behind --' | undefined;
}

/** The operands that are certain, and patterns of what may stand behind them. */
export interface Reach {
  readonly operands: readonly string[];
  readonly patterns: readonly string[];
}

/** How a program walks folders and chooses files, with an expression behind the folders. */
export interface Search {
  /** Options that stand before the folders. */
  readonly leading: ReadonlySet<string>;
  /** Words of the expression that leave nothing out: with no others it takes all that it meets. */
  readonly neutral: ReadonlySet<string>;
}

/**
 * How a command sets variables. `option`: the word behind this option is a name. `operands`: each operand is a name, and the letters in
 * `values` are options with a value. `any`: the command may set any variable. `parameters`: the command sets `$1` and its like.
 */
export type SetsVariables =
  | { readonly kind: 'parameters' }
  | { readonly kind: 'option'; readonly option: string }
  | { readonly kind: 'operands'; readonly values: string }
  | { readonly kind: 'any' };

export interface Subcommands {
  /** Options before the sub-command that take the next word. */
  readonly values: ReadonlySet<string>;
  /** Options before the sub-command that an allow covers, those of `values` among them; absent: none. */
  readonly harmless: ReadonlySet<string>;
  /** Harmless options whose value is a file or folder, which has to lie inside the project. */
  readonly inside: ReadonlySet<string>;
  readonly of: ReadonlyMap<string, CommandRecord>;
  /** Record of a sub-command without an entry, by its name where names tell its effect. */
  readonly others: CommandRecord | ((name: string) => CommandRecord);
  /** A sub-command may be abbreviated to any beginning that is not another's name. */
  readonly abbreviated?: boolean | undefined;
  /** The program does its work without a sub-command, too. */
  readonly optional?: boolean | undefined;
  /** A word `+nightly` before the sub-command names a toolchain. */
  readonly toolchain?: boolean | undefined;
  /** The program runs a program of the name where no script has it: `yarn node`. */
  readonly runsPrograms?: ScriptFallback | undefined;
}

export interface ScriptFallback {
  /** Usual names of scripts that programs have, too: these are taken for scripts. */
  readonly scripts: ReadonlySet<string>;
  /** Behind `run` stands a script and never a program. */
  readonly runIsScript: boolean;
}

export interface ProgramRecord extends CommandRecord {
  /** The usual name, and others of the same program. */
  readonly names: readonly string[];
}

const EMPTY: ReadonlySet<string> = new Set();

/** The words of a text as a set. */
export const set = (text: string): ReadonlySet<string> =>
  text === '' ? EMPTY : new Set(text.split(/\s+/).filter((word) => word !== ''));

/** `program('find gfind bfs', {…})`. */
export const program = (names: string, record: CommandRecord = {}): ProgramRecord => ({
  names: names.split(' '),
  ...record,
});

/** The same record for each of the names. */
export const programs = (names: string, record: CommandRecord): ProgramRecord[] =>
  [...set(names)].map((name) => program(name, record));

interface RunnerText {
  readonly folders?: string;
  readonly unsets?: string;
  readonly values?: string;
  readonly flags?: string;
  readonly operands?: number;
  readonly code?: string;
  readonly assignments?: boolean;
  readonly joins?: boolean;
  readonly anywhere?: boolean;
}

export const runner = (allow: Runner['allow'], text: RunnerText = {}): Runner => ({
  values: set(text.values ?? ''),
  flags: set(text.flags ?? ''),
  operands: text.operands ?? 0,
  allow,
  ...(text.code === undefined ? {} : { code: set(text.code) }),
  ...(text.assignments ? { assignments: true } : {}),
  ...(text.folders === undefined ? {} : { folders: set(text.folders) }),
  ...(text.unsets === undefined ? {} : { unsets: set(text.unsets) }),
  ...(text.joins ? { joins: true } : {}),
  ...(text.anywhere ? { anywhere: true } : {}),
});

interface InterpreterText {
  readonly flags?: string;
  readonly values?: readonly (readonly [string, string | Allowed | undefined])[];
  readonly words?: string;
  readonly operands?: number;
  readonly modules?: boolean;
  readonly readsOn?: boolean;
  readonly shell?: boolean;
}

/** `code`: the options whose value is code. */
export const interpreter = (code: string, text: InterpreterText = {}): Interpreter => ({
  code: set(code),
  flags: set(text.flags ?? ''),
  values: new Map(
    (text.values ?? []).map(([name, values]) => [name, typeof values === 'string' ? set(values) : values] as const),
  ),
  words: set(text.words ?? ''),
  ...(text.operands === undefined ? {} : { operands: text.operands }),
  ...(text.modules ? { modules: true } : {}),
  ...(text.readsOn ? { readsOn: true } : {}),
  ...(text.shell ? { shell: true } : {}),
});

interface SubcommandText {
  readonly values?: string;
  readonly harmless?: string;
  readonly inside?: string;
  readonly others?: Subcommands['others'];
  readonly abbreviated?: boolean;
  readonly optional?: boolean;
  readonly toolchain?: boolean;
  readonly runsPrograms?: ScriptFallback | undefined;
}

/** `of`: names, separated by blanks, and the record that they share. */
export const subcommands = (
  of: readonly (readonly [string, CommandRecord])[],
  text: SubcommandText = {},
): Subcommands => ({
  of: new Map(of.flatMap(([names, record]) => [...set(names)].map((name) => [name, record] as const))),
  values: set(text.values ?? ''),
  harmless: set(text.harmless ?? ''),
  inside: set(text.inside ?? ''),
  others: text.others ?? {},
  ...(text.abbreviated ? { abbreviated: true } : {}),
  ...(text.optional ? { optional: true } : {}),
  ...(text.toolchain ? { toolchain: true } : {}),
  ...(text.runsPrograms ? { runsPrograms: text.runsPrograms } : {}),
});

/** Options of a program whose others meet the second net. */
export const netOptions = (harmful: string, more: SpecText = {}): OptionSpec =>
  optionSpec({ others: 'net', harmful, ...more });

/** An option is left out if it is one of `harmful` or has a telling name. */
export const net = (harmful: string, more: SpecText = {}): CommandRecord => ({
  options: netOptions(harmful, more),
});

/** Covered by a rule that names the sub-command, and by no shorter one. */
export const NAMED: CommandRecord = { grant: 'subcommand' };
/** Covered, too, by a rule that names the words before its last: `git bundle`. */
export const GROUP: CommandRecord = { grant: 'group' };
/** As `net`, and a rule has to name the sub-command. */
export const named = (harmful: string, more: SpecText = {}): CommandRecord => ({ ...NAMED, ...net(harmful, more) });
/** Prints a secret with one of these words: a rule has to name the sub-command. */
export const reveals =
  (pattern: RegExp) =>
  (words: readonly Field[]): readonly string[] | undefined =>
    words.some(({ text }) => pattern.test(text)) ? [] : undefined;
/** Shows what is installed or published. */
export const SHOWS: CommandRecord = { reads: true, paths: { text: true } };
/** Covered by no prefix. */
export const NEVER: CommandRecord = { grant: 'never' };
/** Runs a command that no prefix covers. */
export const RUNS: CommandRecord = { grant: 'never', runner: runner('never', { anywhere: true }) };
/** Runs a command elsewhere, which a rule may name behind the name of a container. */
export const EXECUTES: CommandRecord = {
  runner: runner('named', { anywhere: true, operands: 1, flags: '-i -t -it -ti --interactive --tty -T --rm' }),
};
