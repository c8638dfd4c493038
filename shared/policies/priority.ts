/** Chooses the first listed flow that is available, else the first action. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import { texts } from '../domain/settings.ts';
import { type AgentPolicy, type ChooseOptions, reporter } from './agent-policy.ts';

/**
 * Answers an action of the space; null only for an empty one. Never throws.
 *
 * @example
 * const policy = new PriorityPolicy(['release_escrow', 'update_status']);
 * console.log(await policy.choose(space, snapshot));
 */
export class PriorityPolicy implements AgentPolicy {
  /** Flow ids, highest priority first. */
  readonly priorities: readonly string[];

  constructor(priorities: readonly string[]) {
    texts(priorities, 'priorities');
    this.priorities = [...priorities];
  }

  async choose(
    actionSpace: ActionSpace,
    _snapshot?: AgentSnapshot,
    options: ChooseOptions = {},
  ): Promise<Action | null> {
    const report = reporter(options, 'priority');
    for (const flowId of this.priorities) {
      const listed = actionSpace.actions.find((action) => action.flow_id === flowId);
      if (listed) return report('chosen', listed);
    }
    const first = actionSpace.actions[0];
    return first ? report('chosen', first, { detail: 'no listed flow is available' }) : report('empty_space', null);
  }
}
