/** Asks people in Slack about a policy's action, through the deployed gate: its rules on `Flow` count as well. */

import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import { type ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';
import type { DeployedGate } from '../deployed-gate.ts';

/** The tool under which the gate knows actions. */
const FLOW = 'Flow';

/** A choice among the alternatives needs the deployed policy (`action-choice`): here people approve or reject. */
export class SlackApprovalChannel implements ApprovalChannel {
  readonly #gate: DeployedGate;

  constructor(gate: DeployedGate) {
    this.#gate = gate;
  }

  async requestApproval(proposed: Action, actionSpace: ActionSpace, _snapshot: AgentSnapshot): Promise<ApprovalResult> {
    const others = actionSpace.actions.map(({ flow_id }) => flow_id).filter((id) => id !== proposed.flow_id);
    const action = { toolName: FLOW, input: { ...proposed } };
    const proposalId = await this.#gate.propose({
      ...action,
      title: proposed.flow_id.slice(0, 200),
      ...(others.length ? { description: `Other actions: ${others.join(', ')}`.slice(0, 3_000) } : {}),
    });
    const decision = await this.#gate.wait(proposalId);
    if (decision.outcome === 'expired') return ApprovalResult.Timeout;
    const by = decision.decidedBy.id;
    if (decision.outcome !== 'approved') return { type: 'rejected', by, reason: decision.message };
    this.#gate.assertRunnable(decision, proposalId, action);
    return { type: 'approved', by };
  }
}
