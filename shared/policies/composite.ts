/** Has one policy propose, and another approve the actions that a predicate picks out. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import { having } from '../domain/settings.ts';
import { canonicalIn, onlyAction } from './action-space.ts';
import { type AgentPolicy, type ChooseOptions, reporter, under } from './agent-policy.ts';
import type { ApprovalPredicate } from './predicates/approval-predicate.ts';

/**
 * Answers the proposed action or null; the approver is asked about that action alone. Throws what its two policies throw.
 *
 * @example
 * const person = new HumanInTheLoopPolicy(new FirstAvailablePolicy(), channel, 180_000);
 * const policy = new CompositePolicy(new FirstAvailablePolicy(), person, new FlowIdPredicate(['release_escrow']));
 * console.log(await policy.choose(space, snapshot));
 */
export class CompositePolicy implements AgentPolicy {
  readonly proposer: AgentPolicy;
  readonly approver: AgentPolicy;
  readonly requiresApproval: ApprovalPredicate;

  constructor(proposer: AgentPolicy, approver: AgentPolicy, requiresApproval: ApprovalPredicate) {
    having('choose')(proposer, 'proposer');
    having('choose')(approver, 'approver');
    having('requiresApproval')(requiresApproval, 'requiresApproval');
    this.proposer = proposer;
    this.approver = approver;
    this.requiresApproval = requiresApproval;
  }

  async choose(actionSpace: ActionSpace, snapshot: AgentSnapshot, options: ChooseOptions = {}): Promise<Action | null> {
    const report = reporter(options, 'composite');
    const { signal } = options;
    const named = await this.proposer.choose(actionSpace, snapshot, under(options, 'composite.proposer'));
    signal?.throwIfAborted();
    if (!named) return report('proposer_none', null);
    const proposed = canonicalIn(actionSpace, named);
    if (!proposed) return report('proposer_outside_space', null, { flowId: named.flow_id });
    const { flow_id: flowId } = proposed;

    let asks: boolean;
    try {
      asks = this.requiresApproval.requiresApproval(proposed, snapshot);
    } catch (error) {
      // Neither answer is known, so the action is not let through.
      return report('predicate_failed', null, { flowId, detail: String(error) });
    }
    if (asks === false) return report('auto_approved', proposed);

    const alone = onlyAction(actionSpace, proposed);
    const approved = await this.approver.choose(alone, snapshot, under(options, 'composite.approver'));
    signal?.throwIfAborted();
    if (!approved) return report('approver_rejected', null, { flowId });
    // An approver may agree or refuse; another action would be one that nobody proposed.
    if (!canonicalIn(alone, approved)) return report('approver_changed_action', null, { flowId: approved.flow_id });
    return report('approver_approved', proposed);
  }
}
