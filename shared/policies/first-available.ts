/** The first action of the space: for deterministic tests of a flow, or as an approver that always agrees. */

import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import { type AgentPolicy, type Observer, reporter } from './agent-policy.ts';

/** Answers an action of the space; null only for an empty one. Never throws. */
export class FirstAvailablePolicy implements AgentPolicy {
  async choose(actionSpace: ActionSpace, _snapshot?: AgentSnapshot, observer?: Observer): Promise<Action | null> {
    const report = reporter(observer, 'first-available');
    const first = actionSpace.actions[0];
    return first ? report('chosen', first) : report('empty_space', null);
  }
}
