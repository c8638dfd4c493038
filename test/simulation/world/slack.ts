/** Shows the channel as people see it: the buttons that they could click, on cards they have seen. */
import type { RenderedCard } from '../../../shared/adapters/slack/cards/card.ts';
import { ACTIONS, type ButtonValue, readButton } from '../../../shared/adapters/slack/elements/actions.ts';
import { SlackProblemError } from '../../../shared/adapters/slack/posting/errors.ts';
import type { SlackPoster } from '../../../shared/adapters/slack/posting/poster.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Card } from '../../../shared/ports/stores/approval-store.ts';

export interface SeenButton {
  readonly value: ButtonValue;
  readonly card: Card;
  /** The card as it was drawn with this button. */
  readonly drawn: RenderedCard;
}

/** The numbers of calls that a person reads on the card. */
export function numbersOn({ drawn }: SeenButton): readonly number[] {
  const known = numbers.get(drawn);
  if (known) return known;
  const found = [...JSON.stringify(drawn.blocks).matchAll(/number\\+": (\d+)/g)].map(([, number]) => Number(number));
  numbers.set(drawn, found);
  return found;
}

/** Numbers on a card, which several people may click on. */
const numbers = new WeakMap<RenderedCard, readonly number[]>();

export class ChannelOfCards implements SlackPoster {
  /** By approval: buttons that somebody may still have before their eyes, the newest last. */
  readonly #buttons = new Map<string, SeenButton[]>();
  readonly cards = new Map<string, RenderedCard>();
  readonly #archived = new Set<string>();
  readonly #clock: Clock;
  #posted = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The button that a person clicks on; a stale one of a person who has not looked again. */
  buttonOf(pid: string, isStale: boolean): SeenButton | undefined {
    const seen = this.#buttons.get(pid);
    return isStale ? seen?.[0] : seen?.at(-1);
  }

  archive(channel: string): void {
    this.#archived.add(channel);
  }

  async post(channel: string, card: RenderedCard): Promise<Card> {
    this.#refuseArchived(channel);
    const place = {
      channel,
      ts: `${Math.floor(this.#clock.now() / 1_000)}.${String(++this.#posted).padStart(6, '0')}`,
    };
    this.#show(place, card);
    return place;
  }

  async update(place: Card, card: RenderedCard): Promise<boolean> {
    this.#refuseArchived(place.channel);
    this.#show(place, card);
    return true;
  }

  async reply(): Promise<void> {}
  async announce(): Promise<void> {}
  async message(): Promise<void> {}

  #refuseArchived(channel: string): void {
    if (this.#archived.has(channel)) throw new SlackProblemError('is_archived');
  }

  #show({ channel, ts }: Card, card: RenderedCard): void {
    this.cards.set(`${channel}#${ts}`, card);
    for (const block of card.blocks) {
      if (block.type !== 'actions') continue;
      for (const element of block.elements) {
        if (element.type !== 'button' || element.action_id !== ACTIONS.approve) continue;
        const value = readButton(element.value);
        if (!value) continue;
        const seen = this.#buttons.get(value.approval) ?? [];
        seen.push({ value, card: { channel, ts }, drawn: card });
        this.#buttons.set(value.approval, seen);
      }
    }
  }
}
