/** Tells who waits for a decision that there is one: dozens of looks at each would find nothing. */
import { getOrAdd } from '../../../shared/adapters/memory/stores/state.ts';

export class Deciding {
  readonly #decided = new Map<string, PromiseWithResolvers<void>>();

  note(agent: string, id: string | null): void {
    this.#of(agent, id).resolve();
  }

  until(agent: string, id: string): Promise<void> {
    return this.#of(agent, id).promise;
  }

  #of(agent: string, id: string | null): PromiseWithResolvers<void> {
    return getOrAdd(this.#decided, `${agent}/${id}`, () => Promise.withResolvers<void>());
  }
}
