/**
 * Queues in memory as a FIFO queue of SQS does: each group in order, one message at a time.
 * A group waits for a message that is hidden. A message comes again for as long as it takes: nothing is set aside here.
 */
import type { Timers } from '../../../ports/timers.ts';

interface FifoOptions<Message> {
  readonly timers: Timers;
  /** Groups that are worked at once. */
  readonly concurrency: number;
  /** Works one message; `received` counts from 1. A number: the message comes again after so many milliseconds. */
  work(message: Message, received: number): Promise<number | undefined>;
  /** For a worker that throws. */
  readonly visibilityMs: number;
}

interface Held<Message> {
  readonly message: Message;
  receives: number;
}

interface Group<Message> {
  readonly line: Held<Message>[];
  isBusy: boolean;
}

export class MemoryFifoQueue<Message> {
  readonly #options: FifoOptions<Message>;
  readonly #groups = new Map<string, Group<Message>>();
  /** Groups that could be worked, the one that waits longest first. */
  readonly #ready: string[] = [];
  readonly #cancels = new Set<() => void>();
  #running = 0;
  #stopped = false;

  constructor(options: FifoOptions<Message>) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#groups.size === 0;
  }

  send(message: Message, group: string): void {
    if (this.#stopped) return;
    const known = this.#groups.get(group);
    if (known) {
      known.line.push({ message, receives: 0 });
      return;
    }
    this.#groups.set(group, { line: [{ message, receives: 0 }], isBusy: false });
    this.#offer(group);
  }

  /** Nothing is delivered any more. */
  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
    this.#groups.clear();
  }

  #offer(group: string): void {
    this.#ready.push(group);
    // Messages that are sent together are delivered once the sender's turn is over.
    queueMicrotask(() => this.#pump());
  }

  #pump(): void {
    while (this.#running < this.#options.concurrency) {
      const name = this.#ready.shift();
      if (name === undefined) return;
      const group = this.#groups.get(name);
      const head = group?.line[0];
      if (!group || !head || group.isBusy) continue;
      group.isBusy = true;
      this.#running += 1;
      void this.#workHead(name, group, head);
    }
  }

  async #workHead(name: string, group: Group<Message>, head: Held<Message>): Promise<void> {
    const { work, visibilityMs, timers } = this.#options;
    head.receives += 1;
    const again = await work(head.message, head.receives).catch(() => visibilityMs);
    this.#running -= 1;
    if (this.#stopped) return;
    if (again === undefined) {
      group.line.shift();
      group.isBusy = false;
      if (group.line.length) this.#ready.push(name);
      else this.#groups.delete(name);
    } else {
      const cancel = timers.after(again, () => {
        this.#cancels.delete(cancel);
        group.isBusy = false;
        this.#offer(name);
      });
      this.#cancels.add(cancel);
    }
    this.#pump();
  }
}
