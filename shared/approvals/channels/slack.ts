/**
 * Asks people in Slack about a policy's action, through the deployed gate: as a choice by a policy of the deployment's file that asks people
 * about the first action of a space (`human-in-the-loop` over `first-available`). The file's rules on `Flow` count as well.
 */

import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import type { Decision } from '../../contract/decision.ts';
import { choiceDigest } from '../../domain/digest.ts';
import { CountersignError } from '../../domain/errors.ts';
import { type ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';
import type { DeployedGate } from './deployed-gate.ts';

/** Nobody decided: the gate could not, its policy asked nobody, or silence stands for a yes there. Counts as a refusal. */
export class SlackChannelError extends CountersignError {
  override readonly name = 'SlackChannelError';
}

/**
 * Waits as long as the policy gives people. Throws `SlackChannelError`, and what sending and waiting throw.
 *
 * @example
 * const slack = new SlackApprovalChannel(CountersignClient.fromEnvironment(), 'attended');
 * console.log(await new HumanInTheLoopPolicy(new FirstAvailablePolicy(), slack, 180_000).choose(space, snapshot));
 */
export class SlackApprovalChannel implements ApprovalChannel {
  readonly #gate: Pick<DeployedGate, 'proposeChoice' | 'wait' | 'cancel'>;
  readonly #policy: string;

  /** `policy`: its name in the deployment's `policies`. The policy there sets how long people have. */
  constructor(gate: Pick<DeployedGate, 'proposeChoice' | 'wait' | 'cancel'>, policy: string) {
    this.#gate = gate;
    this.#policy = policy;
  }

  async requestApproval(
    proposed: Action,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    signal?: AbortSignal,
  ): Promise<ApprovalResult> {
    const digest = choiceDigest(proposed);
    const others = actionSpace.actions.filter((action) => choiceDigest(action) !== digest);
    const asked = { ...actionSpace, actions: [proposed, ...others] };
    const proposalId = await this.#gate.proposeChoice(this.#policy, asked, snapshot);
    try {
      return resultOf(await this.#gate.wait(proposalId, { signal }), asked.actions, digest);
    } catch (error) {
      // Nobody may answer now what nobody waits for.
      if (signal?.aborted) await this.#gate.cancel(proposalId, 'nobody waits for the answer any more');
      throw error;
    }
  }
}

function resultOf(decision: Decision, actions: readonly Action[], proposed: string): ApprovalResult {
  const { outcome, actionDigest, decidedBy, reasonCode, message } = decision;
  if (outcome === 'expired') return ApprovalResult.Timeout;
  if (outcome === 'denied') return { type: 'rejected', by: decidedBy.id, reason: message };
  const action = actions.find((candidate) => choiceDigest(candidate) === actionDigest);
  if (outcome !== 'answered' || decidedBy.type !== 'human' || !action) throw new SlackChannelError(reasonCode, message);
  return actionDigest === proposed
    ? { type: 'approved', by: decidedBy.id }
    : { type: 'substitute', action, by: decidedBy.id };
}
