/** Asks whoever sits at the terminal about a policy's action. */
import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import type { ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';
import { asChannel } from '../../policies/asked-channel.ts';
import { consoleAsker } from '../askers/console.ts';
import type { Terminal } from '../askers/terminal.ts';

/**
 * `consoleAsker` as a channel. One line is one answer; the end of the input, and an input that fails, are a refusal. Never throws.
 *
 * @example
 * const policy = new HumanInTheLoopPolicy(new FirstAvailablePolicy(), new StdinApprovalChannel(), '3m');
 * console.log(await policy.choose(space, snapshot));
 */
export class StdinApprovalChannel implements ApprovalChannel {
  readonly #channel: ApprovalChannel;

  /** @param terminal default: the terminal of this process */
  constructor(terminal?: Terminal) {
    this.#channel = asChannel(consoleAsker({ terminal }));
  }

  requestApproval(...asked: [Action, ActionSpace, AgentSnapshot, AbortSignal?]): Promise<ApprovalResult> {
    return this.#channel.requestApproval(...asked);
  }
}
