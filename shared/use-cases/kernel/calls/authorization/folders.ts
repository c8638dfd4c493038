/** Compares the folders that a call runs in with those in which it was judged. */
import { posix } from 'node:path';
import type { AgentFolders, ToolCall } from '../../../../contract/index.ts';

export interface RunsIn {
  readonly folder: string;
  /** `~` in its arguments. */
  readonly home: string;
}

/** The folder of a call that states none is the project of its own agent. A relative one is refused as such. */
export const runsInOf = ({ cwd }: Pick<ToolCall, 'cwd'>, { projectRoot, home }: AgentFolders): RunsIn => ({
  folder: cwd ?? projectRoot,
  home,
});

/** Whether the policy file has another folder now for a call that was judged with `then`; where that is not known, it counts as one. */
export function hasMoved(call: Pick<ToolCall, 'cwd'>, then: AgentFolders | undefined, now: AgentFolders): boolean {
  if (!then) return true;
  const [before, after] = [runsInOf(call, then), runsInOf(call, now)];
  return before.folder !== after.folder || before.home !== after.home;
}

/** As written it may be spelled in many ways; two that lead to one folder are refused together. */
export const resolvedFolder = (folder: string): string => posix.resolve('/', folder.replaceAll('\\', '/'));
