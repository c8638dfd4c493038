/** Asks a function: for tests, and for anything that can answer in code, a webhook included. */
import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import { fn } from '../../domain/settings.ts';
import type { ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';

/** Gets the proposal, the space that it is of, and the facts. */
export type ApprovalCallback = (
  proposed: Action,
  actionSpace: ActionSpace,
  snapshot: AgentSnapshot,
  /** Aborts when nobody waits for the answer any more. */
  signal?: AbortSignal,
) => ApprovalResult | Promise<ApprovalResult>;

/**
 * Returns the function's answer; an error of the function is thrown on, and counts as a refusal.
 *
 * @example
 * const yes = new CallbackApprovalChannel(() => ({ type: 'approved', by: 'a test' }));
 * console.log(await new HumanInTheLoopPolicy(new FirstAvailablePolicy(), yes, '1s').choose(space, snapshot));
 */
export class CallbackApprovalChannel implements ApprovalChannel {
  readonly #callback: ApprovalCallback;

  constructor(callback: ApprovalCallback) {
    fn(callback, 'callback');
    this.#callback = callback;
  }

  async requestApproval(...asked: Parameters<ApprovalCallback>): Promise<ApprovalResult> {
    return this.#callback(...asked);
  }
}
