/** Analyses a call for people and classifiers: the paths and the command that its rules would look at. */
import type { AgentFolders, Mode, ToolCall } from '../../../../contract/index.ts';
import { needsShell, type PreparedCall, prepareCall } from '../../../../permissions/call/prepared-call.ts';
import type { ToolLookup } from '../../../../permissions/model/tools.ts';
import type { KernelPorts } from './authorize-call.ts';
import { contextOf } from './context-of.ts';

/** Nothing is decided here: what a session remembers and who paused it does not count. */
const UNDECIDED = { sessionRules: undefined, pause: undefined, unattended: undefined, mayPrint: undefined } as const;

export async function analysedCall(
  call: ToolCall,
  mode: Mode,
  cwd: string,
  folders: AgentFolders,
  lookup: Exclude<ToolLookup, { kind: 'refused' }>,
  { policy, shell }: Pick<KernelPorts, 'policy' | 'shell'>,
): Promise<PreparedCall> {
  const context = contextOf({ call, mode, cwd, folders, ...UNDECIDED }, policy);
  return prepareCall(needsShell(context, lookup) ? { ...context, shell: await shell() } : context, lookup);
}
