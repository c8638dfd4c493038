/** Takes up a run of the OpenAI Agents SDK: approves the calls of gated tools, and of no others. */
import { InvalidSettingError } from '../../domain/errors.ts';

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
  readonly agent?: { readonly tools?: readonly { readonly name: string; readonly needsApproval?: unknown }[] };
  readonly rawItem?: { readonly type?: string; readonly name?: string; readonly callId?: string };
}

/** The SDK's own record of answers. */
interface Answers {
  readonly _context?: { isToolApproved?(asked: { toolName: string; callId: string; agent: unknown }): unknown };
}

/**
 * Has the SDK look again at every call of a gated tool that it waits for. A call that people refused is not run all the same. Calls of other
 * tools, with a `needsApproval` of their own, keep the answers that you gave them by `state.approve` and `state.reject`.
 *
 * @throws InvalidSettingError for a call of another tool that has no answer: the run would come back at once, for ever
 */
export function resume<Item, State extends ResumableRun<Item>>(state: State & ResumableRun<Item>): State {
  for (const item of state.getInterruptions()) {
    if (isGated(item as Interruption)) state.approve(item);
    else if (isUnanswered(item as Interruption, state as Answers))
      throw new InvalidSettingError(
        'state',
        `waits for ${(item as Interruption).name}, which is no gated tool: answer it by state.approve or state.reject first`,
      );
  }
  return state;
}

const isGated = ({ agent, name, rawItem }: Interruption): boolean =>
  (agent?.tools ?? []).some(
    (tool) => (tool.name === name || tool.name === rawItem?.name) && Object(tool.needsApproval)[GATED] === true,
  );

function isUnanswered({ agent, name = '', rawItem }: Interruption, { _context: answers }: Answers): boolean {
  // The SDK names calls of hosted tools otherwise.
  if (rawItem?.type !== 'function_call' || rawItem.callId === undefined) return false;
  return answers?.isToolApproved?.({ toolName: name, callId: rawItem.callId, agent }) === undefined;
}
