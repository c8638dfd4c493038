/** Brings every card of an approval and its thread to what the row says; posts a card where there is none and somebody can answer. */
import { askedChannelsOf, channelsOf, deadlineOf, isShownIn, lacksCard } from '../../domain/approval.ts';
import { nextLookAt } from '../../domain/due.ts';
import {
  type ApprovalStore,
  type ApprovalView,
  type Card,
  type CardProblem,
  isSetAside,
} from '../../ports/approval-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RateLimitStore } from '../../ports/guardrail-state.ts';
import type { CardLine, CardQueue, Ran } from '../../ports/outbox.ts';
import type { VoteHistory } from '../../ports/vote-history.ts';
import { type RenderedCard, renderCard } from './card.ts';
import { earlierOf, noteEnd } from './earlier.ts';
import { CardInLineError, SlackProblemError, SlackRefusedError } from './errors.ts';
import { awaitTurn, type NewCards, payForWithdrawn } from './line.ts';
import type { SlackPoster } from './poster.ts';
import { sourceOf } from './source.ts';
import { type News, newsOf, ranNews } from './thread.ts';

export interface Drawing {
  readonly approvals: ApprovalStore;
  readonly poster: SlackPoster;
  readonly clock: Clock;
  readonly history: VoteHistory;
  /** Where work is asked for that belongs to the other line. */
  readonly cards: Pick<CardQueue, 'refresh'>;
  readonly rates: Pick<RateLimitStore, 'take' | 'giveBack' | 'book'>;
  readonly newCards: NewCards;
}

/**
 * Run twice it may post a card, or tell a thread something, a second time (a crash before the first was registered). One channel's fault
 * does not keep another's card from being drawn; what kept one is noted in the row, and thrown at the end. `only`: see `CardLine`; without it
 * both are done.
 */
export async function drawCard(
  pid: string,
  drawing: Drawing,
  { only, anew }: { readonly only?: CardLine['only'] | undefined; readonly anew?: true | undefined } = {},
): Promise<void> {
  const view = await drawing.approvals.read(pid);
  if (!view) return;
  const faults: unknown[] = [];
  const deleted = only === 'post' ? [] : await updateCards(view, faults, drawing, anew);
  const live = view.cards.filter((card) => !card.gone && !deleted.includes(card));
  const posted = only === 'update' ? undefined : await postMissing(view, live, faults, drawing);
  if (only === 'update' && deleted.length && asksNow(view, drawing))
    await ask('post', view, `gone-${deleted[0]?.ts}`, drawing);
  const { approval } = view;
  // An update that was set aside is for the other line to try again: a look at whether cards are missing tells nothing of it.
  const isUpdateAside = only === 'post' && approval.version > 0 && isSetAside(view.cardProblem);
  if (!isUpdateAside || posted || faults.length) await conclude(view, faults, drawing);
  if (isUpdateAside) return;
  // People see the question: only time or people change the row now.
  if (asksNow(view, drawing) && !lacksCard(approval, posted?.cards ?? live))
    await drawing.approvals.postpone(pid, nextLookAt(approval), approval.version);
}

/** Cards that somebody deleted. A card that shows this state of the row already is left alone, unless it is drawn `anew`. */
async function updateCards(view: ApprovalView, faults: unknown[], drawing: Drawing, anew?: true): Promise<Card[]> {
  const { approval, decision } = view;
  if (decision) await noteEnd(approval, drawing.history);
  const posted = view.cards.filter(({ gone }) => !gone);
  if (!posted.length) return [];
  const card = await rendered(view, drawing);
  const news = isWithdrawn(approval) ? [] : newsOf(view);
  const state = stateOf(view);
  const deleted: Card[] = [];
  let hasDrawn = false;
  for (const each of posted) {
    const isTold = news.every(({ key }) => each.said?.includes(key));
    if (!anew && each.drawn === state && isTold) continue;
    try {
      if (await refreshCard(view, each, { card, state, news }, drawing)) hasDrawn = true;
      else deleted.push(each);
    } catch (error) {
      if (!(await isClosed(view, each, error, drawing))) faults.push(error);
    }
  }
  if (hasDrawn && !decision) await drawAgainIfBehind(view, drawing);
  // A courtesy to others: what the limiter says to it changes nothing of this card.
  if (hasDrawn && decision && isWithdrawn(approval)) await payForWithdrawn(approval, drawing).catch(() => undefined);
  return deleted;
}

/**
 * Updates of one approval may be drawn in two lines at once, as when its stage moves to another channel. Whoever finds that the row moved on
 * meanwhile cannot know whose update Slack took last: the cards are drawn once more, in the line of the newest state, after what is drawn there.
 */
async function drawAgainIfBehind(view: ApprovalView, drawing: Drawing): Promise<void> {
  const now = await drawing.approvals.read(view.approval.pid);
  if (now && stateOf(now) !== stateOf(view))
    await ask('update', now, `behind-${stateOf(now)}-after-${stateOf(view)}`, drawing, true);
}

/** Nobody had answered: the card says what there is to say, and its thread nothing. */
const isWithdrawn = ({ status, votes }: ApprovalView['approval']): boolean => status === 'cancelled' && !votes.length;

/** False if somebody deleted the message. */
async function refreshCard(
  { approval: { pid } }: ApprovalView,
  posted: Card,
  now: { readonly card: RenderedCard; readonly state: string; readonly news: readonly News[] },
  drawing: Drawing,
): Promise<boolean> {
  if (!(await drawing.poster.update(posted, now.card))) {
    await drawing.approvals.addCard(pid, { ...posted, gone: true });
    return false;
  }
  const drawn = { ...posted, drawn: now.state };
  if (!(await tellThread(pid, drawn, now.news, drawing))) await drawing.approvals.addCard(pid, drawn);
  return true;
}

/** A card where it is asked and none stands, and the row after that; each agent's new cards are bounded, so that one that asks in a loop leaves others their turn. */
async function postMissing(
  view: ApprovalView,
  live: readonly Card[],
  faults: unknown[],
  drawing: Drawing,
): Promise<ApprovalView | undefined> {
  const { approval } = view;
  if (!asksNow(view, drawing)) return undefined;
  const shown = live.map(({ channel }) => channel);
  const missing = channelsOf(approval).filter((channel) => !isShownIn(channel, shown));
  if (!missing.length) return undefined;
  const card = await rendered(view, drawing);
  const turn = view.cards.length ? undefined : await awaitTurn(view, drawing);
  const news = newsOf(view).map(({ key }) => key);
  let hasPosted = false;
  for (const channel of missing) {
    try {
      const posted = await drawing.poster.post(channel, card);
      hasPosted = true;
      await drawing.approvals.addCard(approval.pid, { ...posted, ...(news.length ? { said: news } : {}) });
    } catch (error) {
      // A stage that has answered is shown where it can be.
      if (askedChannelsOf(approval).includes(channel) || !isChannelProblem(error)) faults.push(error);
    }
  }
  if (!hasPosted) {
    await turn?.returnToQueue();
    return undefined;
  }
  // A change of the row meanwhile found no card to update.
  const now = await drawing.approvals.read(approval.pid);
  if (now && stateOf(now) !== stateOf(view)) await ask('update', now, `behind-${stateOf(now)}`, drawing);
  return now;
}

/** Tells the threads of an approval what happened when the action ran. */
export async function tellRan(pid: string, ran: Ran, drawing: Drawing): Promise<void> {
  const view = await drawing.approvals.read(pid);
  if (!view) return;
  const faults: unknown[] = [];
  for (const card of view.cards.filter(({ gone }) => !gone)) {
    try {
      await tellThread(pid, card, [ranNews(ran)], drawing);
    } catch (error) {
      if (!(await isClosed(view, card, error, drawing))) faults.push(error);
    }
  }
  await conclude(view, faults, drawing);
}

/** False if there was nothing to tell; otherwise the card was kept, with what its thread was told. */
async function tellThread(pid: string, card: Card, news: readonly News[], drawing: Drawing): Promise<boolean> {
  const said = [...(card.said ?? [])];
  const untold = news.filter(({ key: one }) => !said.includes(one));
  for (const { key, note } of untold) {
    await drawing.poster.reply(card, note);
    said.push(key);
    await drawing.approvals.addCard(pid, { ...card, said });
  }
  return untold.length > 0;
}

/** The channel of a card that asks nobody any more was closed: nobody sees the card, and nothing is left to mend. */
async function isClosed(view: ApprovalView, card: Card, error: unknown, drawing: Drawing): Promise<boolean> {
  if (!isChannelProblem(error)) return false;
  if (asksNow(view, drawing) && isAskedIn(view, card)) return false;
  await drawing.approvals.addCard(view.approval.pid, { ...card, gone: true });
  return true;
}

const isAskedIn = ({ approval }: ApprovalView, { channel }: Card): boolean =>
  askedChannelsOf(approval).some((asked) => isShownIn(asked, [channel]));

const isChannelProblem = (error: unknown): boolean =>
  error instanceof SlackProblemError && (error.problem === 'channel_gone' || error.problem === 'not_in_channel');

/** Notes what kept a card from being drawn, or that nothing does any more, and passes the first fault on. */
async function conclude(view: ApprovalView, faults: readonly unknown[], drawing: Drawing): Promise<void> {
  const { approval, cardProblem } = view;
  const problem = faults.map(problemOf).find((one) => one !== undefined);
  if (problem !== cardProblem && (problem !== undefined || !faults.length))
    await drawing.approvals.noteCardProblem(approval.pid, problem);
  if (faults.length) throw faults[0];
}

function problemOf(error: unknown): CardProblem | undefined {
  if (error instanceof SlackProblemError) return error.problem;
  if (error instanceof CardInLineError) return 'in_line';
  return error instanceof SlackRefusedError ? 'refused' : undefined;
}

const ask = (only: CardLine['only'], { approval }: ApprovalView, revision: string, { cards }: Drawing, anew?: true) => {
  const { pid, agent } = approval;
  return cards.refresh(pid, channelsOf(approval)[0] ?? '', revision, { agent, only, anew });
};

async function rendered(view: ApprovalView, { history }: Drawing): Promise<RenderedCard> {
  const { approval } = view;
  const earlier = approval.status === 'pending' ? await earlierOf(approval, history) : undefined;
  return renderCard({ ...sourceOf(view), earlier });
}

const stateOf = ({ approval, decision }: ApprovalView): string => `${approval.version}${decision ? '-decided' : ''}`;

/** Whether somebody can still answer here; an identical call that waits asks for both. */
const asksNow = ({ approval }: ApprovalView, { clock }: Drawing): boolean =>
  approval.status === 'pending' && approval.follows === undefined && clock.now() < deadlineOf(approval);
