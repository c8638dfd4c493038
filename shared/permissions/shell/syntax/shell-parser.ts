/** What reads a shell text: the parser that makes its tree, and the second reader that checks what was taken from it. */
import type { WorkBudget } from './budget.ts';
import type { ShellCommand, ShellRedirect } from './command.ts';
import type { ShellTree } from './tree.ts';

/** What the walk over a tree has found in it. */
export interface WalkedTree {
  readonly budget: WorkBudget;
  readonly commands: readonly ShellCommand[];
  readonly redirects: readonly ShellRedirect[];
}

export interface ShellParser {
  /** `undefined` when there is no tree, for a text too deep or too long to parse. Never throws. */
  parse(command: string): ShellTree | undefined;
  /** The doubt about a text that a second, independent parser reads otherwise than the walk over its tree. */
  secondReading(tree: ShellTree, walk: WalkedTree): string | undefined;
}
