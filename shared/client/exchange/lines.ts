/** Has the calls that wait for one tool come again one after the other. */

/** How long a call stands in line. */
interface Standing {
  /** Milliseconds that the call may wait for those before it. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** The lines of one client, by what is waited for. */
export class Lines {
  readonly #lines = new Map<string, Promise<unknown>>();

  /**
   * Joins the line at its end, and leaves it once `atTurn` has ended.
   *
   * @param atTurn is told whether the call stood in line: the last refusal of the tool is not its own then
   * @returns undefined if the time was over first
   * @throws the signal's reason
   */
  async inTurn<Value>(
    name: string,
    { untilMs, signal, sleep }: Standing,
    atTurn: (hasStood: boolean) => Promise<Value>,
  ): Promise<Value | undefined> {
    const before = this.#lines.get(name);
    const own = Promise.withResolvers<void>();
    // One that leaves early does not let those behind it pass those before it.
    const end = Promise.all([before, own.promise]).then(() => {
      if (this.#lines.get(name) === end) this.#lines.delete(name);
    });
    this.#lines.set(name, end);
    const isOver = new AbortController();
    try {
      const late = before && sleep(untilMs, AbortSignal.any([signal, isOver.signal])).then(() => true);
      if (await Promise.race([before?.then(() => false), late])) return undefined;
      signal.throwIfAborted();
      return await atTurn(before !== undefined);
    } finally {
      isOver.abort();
      own.resolve();
    }
  }
}
