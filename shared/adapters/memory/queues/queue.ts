/** Queues in memory as SQS does: at least once, batches, visibility time-outs, a dead-letter queue. */
import type { Timers } from '../../../ports/timers.ts';

interface QueueOptions<Message> {
  readonly timers: Timers;
  readonly batchSize: number;
  /** Batches that are worked at once; default: one. */
  readonly concurrency?: number;
  /** Works a batch and says of each message, by index, what became of it. A throw is a failure of each. `receipts` count from 1. */
  work(batch: readonly Message[], receipts: readonly number[]): Promise<readonly Worked[]>;
  readonly visibilityMs?: number;
  readonly maxReceives?: number;
  /** Answers a message that was set aside; tried until it does not throw. `tries` counts from 1. */
  answerDead?(message: Message, tries: number): Promise<void>;
}

/** Between tries of an answer, doubled each time. */
const FIRST_ANSWER_PAUSE_MS = 60_000;
const MAX_ANSWER_PAUSE_MS = 15 * 60_000;

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
  readonly #cancels = new Set<() => void>();
  #unanswered = 0;
  #pumps = 0;
  #stopped = false;

  constructor(options: QueueOptions<Message>) {
    this.#options = options;
  }

  /** All that were set aside, answered or not. */
  get deadLetters(): readonly Message[] {
    return this.#deadLetters;
  }

  /** How many of those that were set aside have no answer yet. */
  get unanswered(): number {
    return this.#unanswered;
  }

  send(message: Message): void {
    this.#offer({ message, receives: 0 });
  }

  /** Nothing is delivered any more. */
  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
    this.#visible.length = 0;
  }

  #offer(held: Held<Message>): void {
    if (this.#stopped) return;
    this.#visible.push(held);
    if (this.#pumps >= (this.#options.concurrency ?? 1)) return;
    this.#pumps += 1;
    // Messages of one turn are delivered together: the pump starts once the sender's turn is over.
    queueMicrotask(() => this.#pump());
  }

  async #pump(): Promise<void> {
    const { batchSize, work } = this.#options;
    for (;;) {
      const batch = this.#visible.splice(0, batchSize);
      if (!batch.length) {
        // In the same turn as the look that found nothing: what is sent from now on starts the pump again.
        this.#pumps -= 1;
        return;
      }
      for (const held of batch) held.receives += 1;
      const results = await work(
        batch.map(({ message }) => message),
        batch.map(({ receives }) => receives),
      ).catch((): readonly Worked[] => []);
      for (const [index, held] of batch.entries()) {
        const result = results[index] ?? { ok: false };
        if (!result.ok) this.#putBack(held, result.retryAfterMs);
      }
    }
  }

  #putBack(held: Held<Message>, retryAfterMs: number | undefined): void {
    const { visibilityMs = 60_000, maxReceives = 5 } = this.#options;
    if (held.receives >= maxReceives) {
      this.#deadLetters.push(held.message);
      this.#unanswered += 1;
      // The message is visible in the other queue once its time in this one is over.
      this.#later(retryAfterMs ?? visibilityMs, () => this.#answer(held.message, 1));
      return;
    }
    this.#later(retryAfterMs ?? visibilityMs, () => this.#offer(held));
  }

  async #answer(message: Message, tries: number): Promise<void> {
    try {
      await this.#options.answerDead?.(message, tries);
      this.#unanswered -= 1;
    } catch {
      const pause = Math.min(MAX_ANSWER_PAUSE_MS, FIRST_ANSWER_PAUSE_MS * 2 ** (tries - 1));
      this.#later(pause, () => this.#answer(message, tries + 1));
    }
  }

  #later(ms: number, work: () => unknown): void {
    if (this.#stopped) return;
    const cancel = this.#options.timers.after(ms, () => {
      this.#cancels.delete(cancel);
      work();
    });
    this.#cancels.add(cancel);
  }
}
