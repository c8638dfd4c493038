/** Takes up a run of the OpenAI Agents SDK: approves the calls of gated tools, and of no others. */
import { InvalidSettingError } from '../../domain/errors.ts';
import { having } from '../../domain/settings.ts';

/** On the predicate, which the SDK hands on to the tool that it makes. */
const GATED = Symbol.for('countersign.gated');

/** Marks the predicate of a gated tool. */
export const asGated = <Predicate extends object>(needsApproval: Predicate): Predicate =>
  Object.assign(needsApproval, { [GATED]: true });

/** The state of a run that waits for approvals. */
export interface ResumableRun<Item> {
  getInterruptions(): readonly Item[];
  approve(item: Item): void;
}

/** The fields of an interruption that the gate reads. */
interface Interruption {
  readonly name?: string | undefined;
  /** Names a tool with its namespace. */
  readonly functionToolStateKey?: string | undefined;
  readonly agent?: { readonly tools?: readonly AgentTool[] };
  readonly rawItem?: { readonly type?: string; readonly name?: string; readonly callId?: string; readonly id?: string };
}

interface AgentTool {
  readonly type?: string;
  readonly name: string;
  readonly needsApproval?: unknown;
}

/** The SDK's own record of answers. */
interface Answers {
  readonly _context?: {
    isToolApproved?(asked: object): unknown;
    _getHostedMcpApprovalStatus?(item: object): unknown;
  };
}

/**
 * Has the SDK look again at every call of a gated tool that it waits for. A call that people refused is not run all the same. Calls of other
 * tools, with a `needsApproval` of their own, keep the answers that you gave them by `state.approve` and `state.reject`.
 *
 * @throws InvalidSettingError for a call of another tool that has no answer: the run would come back at once, for ever
 */
export function resume<Item, State extends ResumableRun<Item>>(state: State & ResumableRun<Item>): State {
  having('getInterruptions', 'approve')(state, 'state');
  for (const item of state.getInterruptions()) {
    if (isGated(item as Interruption)) state.approve(item);
    else if (isUnanswered(item as Interruption, state as Answers))
      throw new InvalidSettingError(
        'state',
        `waits for ${(item as Interruption).name}, which is no gated tool, or not the only one of its name: answer it by state.approve or state.reject first`,
      );
  }
  return state;
}

/** A shell, and a tool of an MCP server at the provider, may have the name of a gated tool; and so may one of another namespace, which is not told. */
function isGated({ agent, rawItem }: Interruption): boolean {
  if (rawItem?.type !== 'function_call') return false;
  const named = (agent?.tools ?? []).filter(({ type, name }) => type === 'function' && name === rawItem.name);
  return named.length > 0 && named.every(({ needsApproval }) => Object(needsApproval)[GATED] === true);
}

function isUnanswered(item: Interruption, { _context: answers }: Answers): boolean {
  const { agent, name, functionToolStateKey: toolName = name, rawItem: { type, callId, id } = {} } = item;
  if (type === 'hosted_tool_call') return answers?._getHostedMcpApprovalStatus?.(item) === undefined;
  // The SDK keeps answers to calls of functions by their agent.
  const asked = type === 'function_call' ? { agent } : { functionTool: false };
  return answers?.isToolApproved?.({ toolName, callId: callId ?? id, ...asked }) === undefined;
}
