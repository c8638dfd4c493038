/** Holds the dependencies and steps that cards and lists of calls share in drawing. */
import type { CardNames } from '../../../config/readers/card-names.ts';
import type { Approval, Person } from '../../../contract/index.ts';
import { channelsOf, deadlineOf } from '../../../domain/approval/approval.ts';
import type { AskedGroup, Audience } from '../../../ports/audience.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { PeopleDirectory } from '../../../ports/people.ts';
import type { ApprovalStore, ApprovalView, Card, CardProblem } from '../../../ports/stores/approval-store.ts';
import type { CardListStore } from '../../../ports/stores/card-lists.ts';
import type { RateLimitStore } from '../../../ports/stores/guardrail-state.ts';
import type { CardLine, CardQueue } from '../../../ports/stores/outbox.ts';
import type { VoteHistory } from '../../../ports/stores/vote-history.ts';
import { namesShown } from '../../../use-cases/people/names-shown.ts';
import type { CardSource } from '../cards/card-source.ts';
import { earlierOf } from '../cards/earlier-decisions.ts';
import type { News } from '../cards/thread.ts';
import type { NewCards } from './card-rate.ts';
import { CardInLineError, channelProblemOf, SlackProblemError, SlackRefusedError } from './errors.ts';
import { isOutage } from './outage.ts';
import type { SlackPoster } from './poster.ts';
import { sourceOf } from './source.ts';

export interface Drawing {
  readonly approvals: ApprovalStore;
  readonly poster: SlackPoster;
  readonly clock: Clock;
  readonly history: VoteHistory;
  /** Where work is asked for that belongs to the other line. */
  readonly cards: Pick<CardQueue, 'refresh' | 'direct' | 'ran' | 'list' | 'home'>;
  readonly lists: CardListStore;
  readonly rates: Pick<RateLimitStore, 'take' | 'refund' | 'book'>;
  readonly newCards: NewCards;
  /** How the policy file calls things. */
  readonly names?: CardNames | undefined;
  /** Finds how Slack calls those whom the policy file does not list. */
  readonly people?: Pick<PeopleDirectory, 'nameOf'> | undefined;
  /** Finds the people who can answer an approval now. */
  readonly audienceOf?: ((approval: Approval) => Promise<Audience>) | undefined;
  /** Called with how long people could not see a question, in milliseconds, once for each that they see. */
  readonly shown?: ((delayMs: number) => void) | undefined;
  /** Asks Slack who the app is and what it may do, in the place of a card of the canary. Throws as a post does. */
  readonly checkSlack?: (() => Promise<void>) | undefined;
  /** Draws the App Home of somebody. */
  readonly drawHome?: ((person: Person) => Promise<void>) | undefined;
}

export async function sourceFor(view: ApprovalView, drawing: Drawing): Promise<CardSource> {
  const { approval } = view;
  const { history, people, audienceOf } = drawing;
  const isPending = approval.status === 'pending' && !view.decision;
  const [names, earlier, audience] = await Promise.all([
    drawing.names && people ? namesShown(approval, drawing.names, people) : drawing.names,
    isPending ? earlierOf(approval, history) : undefined,
    isPending ? audienceOf?.(approval).catch(unlessOutage) : undefined,
  ]);
  return { ...sourceOf(view, names), earlier, audience };
}

/** Without knowing who is asked a card still asks the group: a fault of its own there holds up no card. */
function unlessOutage(error: unknown): undefined {
  if (isOutage(error)) throw error;
  return undefined;
}

/** Asks for a direct message to each of those who want one: it has a line of its own, and nothing here waits for it. */
export async function messageDirectly(
  { pid }: Approval,
  key: string,
  groups: readonly AskedGroup[],
  { cards }: Drawing,
): Promise<void> {
  const people = groups.flatMap((group) => group.people).filter(({ notify }) => notify === 'dm');
  // A courtesy: the question stands on the card.
  for (const { person } of people) await cards.direct(pid, person, key).catch(() => undefined);
}

/** False if there was nothing to tell; otherwise the card was kept, with what its thread was told. */
export async function postInThread(
  { approval }: ApprovalView,
  card: Card,
  news: readonly News[],
  drawing: Drawing,
): Promise<boolean> {
  const { pid } = approval;
  const posted = [...(card.said ?? [])];
  const untold = news.filter(({ key: one }) => !posted.includes(one));
  for (const { key, note, asks = [] } of untold) {
    await drawing.poster.reply(card, note);
    posted.push(key);
    await drawing.approvals.addCard(pid, { ...card, said: posted });
    await messageDirectly(approval, key, asks, drawing);
  }
  return untold.length > 0;
}

/** Asks for the cards of an approval in the line that they belong to. */
export const requestDraw = (
  only: CardLine['only'],
  { approval }: ApprovalView,
  revision: string,
  { cards }: Drawing,
  anew?: true,
) => {
  const { pid, agent } = approval;
  return cards.refresh(pid, channelsOf(approval)[0] ?? '', revision, { agent, only, anew });
};

/** Called where the first card of an approval is in Slack. */
export function reportShown({ approval, cards }: ApprovalView, { clock, shown }: Drawing): void {
  if (!cards.length) shown?.(Math.max(0, clock.now() - Date.parse(approval.requestedAt)));
}

export const isChannelProblem = (error: unknown): boolean => channelProblemOf(error) !== undefined;

/**
 * Throws one of several, if there are any: one for which the message comes again, where there is one. A card that Slack refuses for good
 * is done with, and would leave the others as they are.
 */
export function throwOneOf(faults: readonly unknown[]): void {
  if (faults.length) throw faults.find((fault) => !(fault instanceof SlackRefusedError)) ?? faults[0];
}

export function problemOf(error: unknown): CardProblem | undefined {
  if (error instanceof SlackProblemError) return error.problem;
  if (error instanceof CardInLineError) return 'in_line';
  return error instanceof SlackRefusedError ? 'refused' : undefined;
}

export const stateOf = ({ approval, decision }: ApprovalView): string =>
  `${approval.version}${decision ? '-decided' : ''}`;

/** Whether somebody can still answer here; an identical call that waits asks for both. */
export const asksNow = ({ approval }: ApprovalView, { clock }: Drawing): boolean =>
  approval.status === 'pending' && approval.follows === undefined && clock.now() < deadlineOf(approval);
