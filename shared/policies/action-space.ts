/** Answers questions about an action space: membership, the space of one action, and faults. */
import { isDeepStrictEqual } from 'node:util';
import type { Action, ActionSpace } from '../contract/action-space.ts';
import { canonicalJson } from '../domain/digest.ts';
import { type Fault, fault } from '../domain/errors.ts';

/**
 * The space's own copy of an action that somebody named, by `flow_id`, so that nobody can smuggle in other
 * bindings. Of several with that flow the equal one counts, else the first. `undefined`: not in the space.
 */
export function canonicalIn(space: ActionSpace, named: Action): Action | undefined {
  const candidates = space.actions.filter((action) => action.flow_id === named?.flow_id);
  if (candidates.length < 2) return candidates[0];
  return (
    candidates.find((action) => action === named) ??
    candidates.find((action) => isDeepStrictEqual(action, named)) ??
    candidates[0]
  );
}

/** The same space with only this action in it. */
export function onlyAction(space: ActionSpace, action: Action): ActionSpace {
  return { ...space, actions: [action], blocked_actions: [] };
}

/** Two identical actions cannot be told apart in an answer: such a space is refused, with the place of the second. */
export function faultOfSpace(space: ActionSpace): Fault | undefined {
  const seen = new Map<string, number>();
  for (const [index, action] of space.actions.entries()) {
    const text = canonicalJson(action);
    const earlier = seen.get(text);
    if (earlier !== undefined) {
      return fault('duplicate_action', `actions[${index}]`, `is identical to actions[${earlier}]`);
    }
    seen.set(text, index);
  }
  return undefined;
}
