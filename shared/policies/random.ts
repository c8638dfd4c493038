/** Chooses any action, uniformly: if a contract is safe, it is safe with this policy. */
import { createHmac } from 'node:crypto';
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import { fn } from '../domain/settings.ts';
import { type AgentPolicy, type ChooseOptions, reporter } from './agent-policy.ts';

/** A number in [0, 1) on each call. */
export type Random = () => number;

/** The same numbers for the same key and place, so that a re-run draws what the first run drew. */
export function seededRandom(key: string, place: string): Random {
  let draws = 0;
  return () => {
    const bytes = createHmac('sha256', key).update(`${place}#${draws++}`).digest();
    return bytes.readUIntBE(0, 6) / 2 ** 48;
  };
}

/**
 * Answers an action of the space; null only for an empty one. Throws a RangeError if `random` leaves [0, 1).
 *
 * @example
 * const action = await new RandomPolicy().choose(space, snapshot);
 * console.log(action?.flow_id);
 */
export class RandomPolicy implements AgentPolicy {
  readonly #random: Random;

  constructor(random: Random = Math.random) {
    fn(random, 'random');
    this.#random = random;
  }

  async choose(
    actionSpace: ActionSpace,
    _snapshot?: AgentSnapshot,
    options: ChooseOptions = {},
  ): Promise<Action | null> {
    const report = reporter(options, 'random');
    const { actions } = actionSpace;
    if (actions.length === 0) return report('empty_space', null);
    const drawn = actions[Math.floor(this.#random() * actions.length)];
    if (!drawn) throw new RangeError('the source of randomness must give numbers in [0, 1)');
    return report('chosen', drawn);
  }
}
