/** Gives out a number of places in the order in which they were asked for. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param places at least 1; Infinity for no limit. */
  constructor(places: number) {
    if (!(places >= 1)) throw new RangeError('a semaphore needs at least one place');
    this.#free = places;
  }

  /** Runs the work in a place, and frees the place whatever becomes of the work. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
