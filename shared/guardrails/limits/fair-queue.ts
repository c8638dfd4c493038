/** Queues waiters: first come, first served for each agent, and round-robin between agents. */

export class FairQueue<T> {
  /** In the order of their next turn; an agent without waiters is absent. */
  readonly #lines = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  get size(): number {
    return this.#lines.values().reduce((sum, line) => sum + line.length, 0);
  }

  add(agent: string, item: T): void {
    const line = this.#lines.get(agent);
    if (line) line.push(item);
    else this.#lines.set(agent, [item]);
  }

  /** The first item that may go now, by turn of the agents and then by arrival. The item stays until `serve` or `remove`. */
  next(eligible: (item: T) => boolean): T | undefined {
    for (const line of this.#lines.values()) {
      const found = line.find(eligible);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Takes the item out and sends its agent to the end of the round. */
  serve(agent: string, item: T): void {
    this.remove(agent, item);
    const rest = this.#lines.get(agent);
    if (!rest) return;
    this.#lines.delete(agent);
    this.#lines.set(agent, rest);
  }

  remove(agent: string, item: T): void {
    const line = this.#lines.get(agent);
    if (!line) return;
    const rest = line.filter((other) => other !== item);
    if (rest.length > 0) this.#lines.set(agent, rest);
    else this.#lines.delete(agent);
  }

  all(): T[] {
    return [...this.#lines.values()].flat();
  }

  /**
   * The item that a full queue gives up: the newest of the agent that waits most among these. So a flood of one agent costs that
   * agent its places, not the others theirs.
   */
  newestOfLongest(counts: (item: T) => boolean): T | undefined {
    let longest: T[] = [];
    for (const line of this.#lines.values()) {
      const counted = line.filter(counts);
      // `>=`: between equals the agent that came last loses.
      if (counted.length > 0 && counted.length >= longest.length) longest = counted;
    }
    return longest.at(-1);
  }
}
