/** Asks people in Slack about a policy's action, through the deployed gate. */
import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import { text } from '../../domain/settings.ts';
import type { ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';
import { asChannel } from '../../policies/asked-channel.ts';
import type { DeployedGate } from '../askers/deployed-gate.ts';
import { gateAsker } from '../askers/gate.ts';

/**
 * `gateAsker` as a channel. Waits as long as the policy gives people. Rejects with `GateAskerError`, and with what sending and waiting throw.
 *
 * @example
 * const slack = new SlackApprovalChannel(CountersignClient.fromEnvironment(), 'attended');
 * console.log(await new HumanInTheLoopPolicy(new FirstAvailablePolicy(), slack, '3m').choose(space, snapshot));
 */
export class SlackApprovalChannel implements ApprovalChannel {
  readonly #channel: ApprovalChannel;

  /** @param policy its name in the deployment's `policies`. The policy there sets how long people have. */
  constructor(gate: DeployedGate, policy: string) {
    text(policy, 'policy');
    this.#channel = asChannel(gateAsker(gate, { policy }));
  }

  requestApproval(...asked: [Action, ActionSpace, AgentSnapshot, AbortSignal?]): Promise<ApprovalResult> {
    return this.#channel.requestApproval(...asked);
  }
}
