/** A queue in memory with SQS's manners: at least once, batches, a visibility time-out, and a dead-letter queue after some receipts. */
import type { Timers } from './timers.ts';

export interface QueueOptions<Message> {
  readonly timers: Timers;
  readonly batchSize: number;
  /** Works a batch and says of each message, by index, what became of it. A throw is a failure of each. */
  work(batch: readonly Message[]): Promise<readonly Worked[]>;
  readonly visibilityMs?: number;
  readonly maxReceives?: number;
}

/** `retryAfterMs`: sooner or later than the queue's own visibility time-out. */
export type Worked = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs?: number };

interface Held<Message> {
  readonly message: Message;
  receives: number;
}

export class MemoryQueue<Message> {
  readonly #options: QueueOptions<Message>;
  readonly #visible: Held<Message>[] = [];
  readonly #deadLetters: Message[] = [];
  readonly #callOff = new Set<() => void>();
  #pumping = false;
  #stopped = false;

  constructor(options: QueueOptions<Message>) {
    this.#options = options;
  }

  get deadLetters(): readonly Message[] {
    return this.#deadLetters;
  }

  send(message: Message): void {
    this.#offer({ message, receives: 0 });
  }

  /** Nothing is delivered any more. */
  stop(): void {
    this.#stopped = true;
    for (const callOff of this.#callOff) callOff();
    this.#callOff.clear();
    this.#visible.length = 0;
  }

  #offer(held: Held<Message>): void {
    if (this.#stopped) return;
    this.#visible.push(held);
    if (this.#pumping) return;
    this.#pumping = true;
    // What is sent together is delivered together: the pump starts once the sender's turn is over.
    queueMicrotask(() => this.#pump());
  }

  async #pump(): Promise<void> {
    const { batchSize, work } = this.#options;
    for (;;) {
      const batch = this.#visible.splice(0, batchSize);
      if (!batch.length) {
        // In the same turn as the look that found nothing: what is sent from now on starts the pump again.
        this.#pumping = false;
        return;
      }
      for (const held of batch) held.receives += 1;
      const results = await work(batch.map(({ message }) => message)).catch((): readonly Worked[] => []);
      for (const [index, held] of batch.entries()) {
        const result = results[index] ?? { ok: false };
        if (!result.ok) this.#putBack(held, result.retryAfterMs);
      }
    }
  }

  #putBack(held: Held<Message>, retryAfterMs: number | undefined): void {
    const { timers, visibilityMs = 60_000, maxReceives = 5 } = this.#options;
    if (held.receives >= maxReceives) {
      this.#deadLetters.push(held.message);
      return;
    }
    if (this.#stopped) return;
    const callOff = timers.after(retryAfterMs ?? visibilityMs, () => {
      this.#callOff.delete(callOff);
      this.#offer(held);
    });
    this.#callOff.add(callOff);
  }
}
