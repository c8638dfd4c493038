/** Simulates time: whoever waits is woken in order, and nothing else takes time. */
interface Sleeper {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

export class VirtualTime {
  #now: number;
  #order = 0;
  /** A binary heap, the first to wake on top. */
  readonly #heap: Sleeper[] = [];

  constructor(start: number) {
    this.#now = start;
  }

  now = (): number => this.#now;

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#push({ at: this.#now + ms, order: this.#order++, wake: resolve }));
  }

  /** Until nobody waits any more, or `end` has come. */
  async run(end: number): Promise<void> {
    await turn();
    for (let next = this.#heap[0]; next && next.at <= end; next = this.#heap[0]) {
      this.#now = next.at;
      // Sleepers that wake at the same time go on together.
      while (this.#heap[0]?.at === this.#now) this.#pop()?.wake();
      await turn();
    }
  }

  #push(sleeper: Sleeper): void {
    const heap = this.#heap;
    heap.push(sleeper);
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!isBefore(heap[child], heap[parent])) return;
      swap(heap, child, parent);
      child = parent;
    }
  }

  #pop(): Sleeper | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return top;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2];
      const child = right < heap.length && isBefore(heap[right], heap[left]) ? right : left;
      if (child >= heap.length || !isBefore(heap[child], heap[parent])) return top;
      swap(heap, child, parent);
      parent = child;
    }
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function isBefore(a: Sleeper | undefined, b: Sleeper | undefined): boolean {
  if (!a || !b) return false;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function swap(heap: Sleeper[], a: number, b: number): void {
  [heap[a], heap[b]] = [heap[b] as Sleeper, heap[a] as Sleeper];
}
