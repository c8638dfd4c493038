/** Has a delegate propose an action, and a person decide. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import type { Duration } from '../domain/duration.ts';
import { duration } from '../domain/duration.ts';
import { having, oneOf } from '../domain/settings.ts';
import { canonicalIn } from './action-space.ts';
import { type AgentPolicy, type ChooseOptions, reporter, under } from './agent-policy.ts';
import { type ApprovalChannel, type ApprovalResult, TimeoutBehavior } from './approval-channel.ts';

/**
 * Answers what the person decided on: the proposal, another action of the space, or null. A channel that throws is a refusal.
 *
 * @example
 * const policy = new HumanInTheLoopPolicy(new FirstAvailablePolicy(), new DeadlineApprovalChannel(channel, '3m'), '3m');
 * console.log(await policy.choose(space, snapshot));
 */
export class HumanInTheLoopPolicy implements AgentPolicy {
  readonly delegate: AgentPolicy;
  readonly approvalChannel: ApprovalChannel;
  /** How long the wait is meant to take at most. For the channel: this class enforces nothing, the factory `humanInTheLoop` does. */
  readonly timeout: Duration;
  readonly timeoutBehavior: TimeoutBehavior;

  constructor(
    delegate: AgentPolicy,
    approvalChannel: ApprovalChannel,
    timeout: Duration,
    timeoutBehavior: TimeoutBehavior = TimeoutBehavior.Reject,
  ) {
    having('choose')(delegate, 'delegate');
    having('requestApproval')(approvalChannel, 'approvalChannel');
    duration(timeout, 'timeout');
    oneOf(...Object.values(TimeoutBehavior))(timeoutBehavior, 'timeoutBehavior');
    this.delegate = delegate;
    this.approvalChannel = approvalChannel;
    this.timeout = timeout;
    this.timeoutBehavior = timeoutBehavior;
  }

  async choose(actionSpace: ActionSpace, snapshot: AgentSnapshot, options: ChooseOptions = {}): Promise<Action | null> {
    const report = reporter(options, 'human-in-the-loop');
    if (actionSpace.actions.length === 0) return report('empty_space', null);
    const { signal } = options;
    const named = await this.delegate.choose(actionSpace, snapshot, under(options, 'human.delegate'));
    signal?.throwIfAborted();
    if (!named) return report('delegate_none', null);
    const proposed = canonicalIn(actionSpace, named);
    if (!proposed) return report('delegate_outside_space', null, { flowId: named.flow_id });

    let result: ApprovalResult;
    try {
      result = await this.approvalChannel.requestApproval(proposed, actionSpace, snapshot, ...(signal ? [signal] : []));
    } catch (error) {
      signal?.throwIfAborted();
      return report('channel_failed', null, { flowId: proposed.flow_id, detail: String(error) });
    }
    // An answer that comes after nobody waited for it is none.
    signal?.throwIfAborted();
    const { flow_id: flowId } = proposed;
    switch (result?.type) {
      case 'approved':
        return report('approved', proposed, { by: result.by });
      case 'rejected':
        return report('rejected', null, { flowId, by: result.by, detail: result.reason });
      case 'substitute': {
        const substitute = canonicalIn(actionSpace, result.action);
        // A person who substitutes the proposed action for itself approves it.
        if (substitute === proposed) return report('approved', proposed, { by: result.by });
        if (substitute) return report('substituted', substitute, { by: result.by });
        const detail = `proposed was ${flowId}`;
        return report('substitute_outside_space', null, {
          flowId: result.action?.flow_id ?? null,
          by: result.by,
          detail,
        });
      }
      case 'timeout':
        return this.timeoutBehavior === TimeoutBehavior.Approve
          ? report('timeout_approved', proposed)
          : report('timeout_rejected', null, { flowId });
      default: {
        const unknown: undefined | never = result;
        return report('channel_failed', null, { flowId, detail: `an answer of no known kind: ${typeof unknown}` });
      }
    }
  }
}
