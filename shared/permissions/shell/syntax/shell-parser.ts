/** Declares the two readers of a shell text: one makes its tree, the other checks its commands. */
import type { WorkBudget } from './budget.ts';
import type { ShellCommand, ShellRedirect } from './command.ts';
import type { ShellTree } from './tree.ts';

/** The commands and redirections that the walk over a tree has found. */
export interface WalkedTree {
  readonly budget: WorkBudget;
  readonly commands: readonly ShellCommand[];
  readonly redirects: readonly ShellRedirect[];
}

/** Parses shell commands. `loadShellParser` gives one. */
export interface ShellParser {
  /** `undefined` when there is no tree, for a text too deep or too long to parse. Never throws. */
  parse(command: string): ShellTree | undefined;
  /** The doubt about a text that a second, independent parser reads otherwise than the walk over its tree. */
  secondReading(tree: ShellTree, walk: WalkedTree): string | undefined;
}
