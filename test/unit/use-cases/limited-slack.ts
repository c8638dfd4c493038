/**
 * Plays Slack with its limits, in virtual time.
 *
 * Limits: one post a second in a channel, fifty updates a minute, an answer after a moment.
 */
import type { RenderedCard } from '../../../shared/adapters/slack/cards/card.ts';
import { SlackBusyError } from '../../../shared/adapters/slack/posting/errors.ts';
import type { SlackPoster } from '../../../shared/adapters/slack/posting/poster.ts';
import type { Card } from '../../../shared/ports/stores/approval-store.ts';
import type { FakeClock } from '../../../shared/testing/fake-clock.ts';

const ANSWER_MS = 300;
const POST_EACH_MS = 1_000;
const UPDATES_A_MINUTE = 50;
const MINUTE = 60_000;

export class LimitedSlack implements SlackPoster {
  /** When each card was posted, oldest first. */
  readonly posted: { readonly at: number; readonly card: RenderedCard }[] = [];
  /** The same, with every update of a card. */
  readonly drawn: { readonly at: number; readonly card: RenderedCard }[] = [];
  readonly #clock: () => FakeClock;
  readonly #lastPost = new Map<string, number>();
  #updates: number[] = [];
  limited = 0;
  updates = 0;
  replies = 0;

  constructor(clock: () => FakeClock) {
    this.#clock = clock;
  }

  async post(channel: string, card: RenderedCard): Promise<Card> {
    await this.#message(channel);
    this.posted.push({ at: this.#clock().now(), card });
    this.drawn.push({ at: this.#clock().now(), card });
    return { channel, ts: `1700000000.${String(this.posted.length).padStart(6, '0')}` };
  }

  async update(_at: Card, card: RenderedCard): Promise<boolean> {
    const now = this.#clock().now();
    this.#updates = this.#updates.filter((at) => at > now - MINUTE);
    const [oldest] = this.#updates;
    if (oldest !== undefined && this.#updates.length >= UPDATES_A_MINUTE) this.#limit(oldest + MINUTE - now);
    this.#updates.push(now);
    this.updates += 1;
    await this.#answer();
    this.drawn.push({ at: this.#clock().now(), card });
    return true;
  }

  async reply({ channel }: Card): Promise<void> {
    await this.#message(channel);
    this.replies += 1;
  }
  announce = (channel: string): Promise<void> => this.#message(channel);
  message = (user: string): Promise<void> => this.#message(user);

  async #message(channel: string): Promise<void> {
    const now = this.#clock().now();
    if (now - (this.#lastPost.get(channel) ?? 0) < POST_EACH_MS) this.#limit(POST_EACH_MS);
    this.#lastPost.set(channel, now);
    await this.#answer();
  }

  #limit(ms: number): never {
    this.limited += 1;
    throw new SlackBusyError(Math.ceil(ms / 1_000));
  }

  #answer(): Promise<void> {
    return new Promise((resolve) => this.#clock().after(ANSWER_MS, resolve));
  }
}
