/** Declares the two readers of a shell text, and what both find in it. */
import type { WorkBudget } from './budget.ts';
import type { ShellAnalysis, ShellCommand, ShellRedirect } from './command.ts';
import type { ShellTree } from './tree.ts';

/** The commands and redirections that the walk over a tree has found. */
export interface WalkedTree {
  readonly budget: WorkBudget;
  readonly commands: readonly ShellCommand[];
  readonly redirects: readonly ShellRedirect[];
}

/** Where a command runs: absolute paths. */
export interface CommandPlace {
  readonly cwd: string;
  readonly projectRoot: string;
  /** Nobody stated one: `projectRoot` stands for the folder of the call. */
  readonly hasProjectRoot?: false | undefined;
  readonly home: string;
  readonly dirAllowed?: boolean | undefined;
  readonly otherDirs?: readonly string[] | undefined;
}

/** Parses shell commands. `loadShellParser` gives one. */
export interface ShellParser {
  /** `undefined` when there is no tree, for a text too deep or too long to parse. Never throws. */
  parse(command: string): ShellTree | undefined;
  /** The doubt about a text that a second, independent parser reads otherwise than the walk over its tree. */
  secondReading(tree: ShellTree, walk: WalkedTree): string | undefined;
  /** Commands, paths and doubts of a text. Part of the parser: a call without a command is judged without loading either. */
  analyse(command: string, place: CommandPlace): ShellAnalysis;
  /** The `CommandMatching` that comes with the parser; `commandsOf` gives it its type, which names the call that holds this parser. */
  readonly commands: unknown;
}
