/**
 * Chooses the first action of the space.
 *
 * For deterministic tests of a flow, or as an approver that always agrees.
 */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import { type AgentPolicy, type ChooseOptions, reporter } from './agent-policy.ts';

/**
 * Answers an action of the space; null only for an empty one. Never throws.
 *
 * @example
 * const action = await new FirstAvailablePolicy().choose(space, snapshot);
 * console.log(action?.flow_id ?? 'nothing to do');
 */
export class FirstAvailablePolicy implements AgentPolicy {
  async choose(
    actionSpace: ActionSpace,
    _snapshot?: AgentSnapshot,
    options: ChooseOptions = {},
  ): Promise<Action | null> {
    const report = reporter(options, 'first-available');
    const first = actionSpace.actions[0];
    return first ? report('chosen', first) : report('empty_space', null);
  }
}
