/** Requires approval of everything while any listed entity is in its listed state. */
import type { Action, AgentSnapshot } from '../../contract/action-space.ts';
import { iterable, texts, unfit } from '../../domain/settings.ts';
import type { ApprovalPredicate } from './approval-predicate.ts';

/**
 * Sends every action to the approver while one of the listed entities is in its listed state.
 *
 * @example
 * const disputed = new EntityStatePredicate([['escrow-1', 'disputed']]);
 * console.log(disputed.rules);
 */
export class EntityStatePredicate implements ApprovalPredicate {
  /** Pairs of entity id and state, compared exactly. */
  readonly rules: readonly (readonly [entityId: string, state: string])[];

  constructor(rules: Iterable<readonly [entityId: string, state: string]>) {
    iterable(rules, 'rules');
    this.rules = [...rules];
    for (const [index, pair] of this.rules.entries()) {
      const setting = `rules[${index}]`;
      if (!Array.isArray(pair) || pair.length !== 2) throw unfit(pair, setting, 'a pair of an entity and its state');
      texts(pair, setting);
    }
  }

  requiresApproval(_action: Action, { entity_states: states }: AgentSnapshot): boolean {
    return this.rules.some(([entity, state]) => Object.hasOwn(states, entity) && states[entity] === state);
  }
}
