/** Brings the cards of an approval and their threads up to its row; posts cards that are missing. */
import { askedChannelsOf, channelsOf, isAskedIn, isShownIn, lacksCard } from '../../../domain/approval/approval.ts';
import { isForged } from '../../../domain/approval/disagreement.ts';
import { nextLookAt } from '../../../domain/approval/due.ts';
import { cardLookDue } from '../../../domain/approval/shown.ts';
import { type UnreadApproval, UnreadableApprovalError } from '../../../domain/approval/unread-approval.ts';
import { isCanary } from '../../../domain/canary.ts';
import { type ApprovalView, type Card, isSetAside } from '../../../ports/stores/approval-store.ts';
import type { CardLine, Ran } from '../../../ports/stores/outbox.ts';
import { type RenderedCard, renderCard, renderEnded } from '../cards/card.ts';
import { groupsIn } from '../cards/card-people.ts';
import type { CardSource } from '../cards/card-source.ts';
import { noteEnd } from '../cards/earlier-decisions.ts';
import { type News, newsOf, ranNews } from '../cards/thread.ts';
import { awaitTurn, payForWithdrawn } from './card-rate.ts';
import {
  asksNow,
  type Drawing,
  isChannelProblem,
  messageDirectly,
  postInThread,
  problemOf,
  reportShown,
  requestDraw,
  sourceFor,
  stateOf,
  throwOneOf,
} from './drawing.ts';
import { isOfContent } from './errors.ts';
import { joinList, requestList } from './list-join.ts';
import { askForHomes } from './redraw-homes.ts';
import { sourceOn, taken } from './source-on.ts';
import { tellUnseen } from './tell-unseen.ts';

/**
 * Run twice it may post a card, or tell a thread something, a second time (a crash before the first was registered). One channel's fault
 * does not keep another's card from being drawn; what kept one is noted in the row, and thrown at the end. `only`: see `CardLine`; without it
 * both are done.
 */
export async function drawCard(
  pid: string,
  drawing: Drawing,
  { only, anew }: { readonly only?: CardLine['only'] | undefined; readonly anew?: Anew } = {},
): Promise<void> {
  const view = await readOrDrawEnd(pid, only, drawing);
  if (!view) return;
  if (isCanary(view.approval.agent)) return only === 'update' ? undefined : drawNothing(view, drawing);
  const faults: unknown[] = [];
  const { deleted, drawn } = only === 'post' ? NOTHING : await updateCards(view, faults, drawing, anew);
  const live = view.cards.flatMap((card) => (card.gone || deleted.includes(card) ? [] : [drawn.get(card) ?? card]));
  const posted = only === 'update' ? undefined : await postMissing(view, live, faults, drawing);
  if (only !== 'post' && view.decision?.outcome === 'expired') await tellUnseen(view, drawing);
  if (only === 'update' && deleted.length && asksNow(view, drawing))
    await requestDraw('post', view, `gone-${deleted[0]?.ts}`, drawing);
  // The list is drawn in another line, and looks after the row.
  if (posted === 'listed' && !faults.length) return;
  const { approval } = view;
  // A card of plain words has no buttons until an update is taken: without the mark, silence about it would count.
  const isPlain = view.cardProblem === 'refused' && live.length > 0;
  // An update that was set aside is for the other line to try again: a look at whether cards are missing tells nothing of it.
  const isUpdateAside = only === 'post' && (isPlain || (approval.version > 0 && isSetAside(view.cardProblem)));
  if (!isUpdateAside || (posted && !isPlain) || faults.length) await conclude(view, faults, drawing);
  if (isUpdateAside) return;
  // People see the question: only time or people change the row now.
  if (posted && posted !== 'listed' && posted.isPostponed) return;
  // Planned for then already, as where late clicks ask again and again: the write would change nothing.
  if (view.dueAt === nextLookAt(approval, drawing.clock.now())) return;
  await postponeShown(view, posted && posted !== 'listed' ? posted.cards : live, drawing);
}

/** False if somebody is still to see the question, a look at its cards is due, or the row changed since it was read. */
async function postponeShown(view: ApprovalView, cards: readonly Card[], drawing: Drawing): Promise<boolean> {
  const { approval } = view;
  const { pid, version } = approval;
  const now = drawing.clock.now();
  if (!asksNow(view, drawing) || lacksCard(approval, cards) || cardLookDue(approval, cards, now)) return false;
  return drawing.approvals.postpone(pid, nextLookAt(approval, now), version);
}

/** Draws nothing for the canary: nobody is bothered, whatever group a rule names. Slack answers whether a card could be posted. */
async function drawNothing(view: ApprovalView, drawing: Drawing): Promise<void> {
  const { approval } = view;
  // The question is withdrawn at once. During an outage the next question asks again, and this one does not come for ever.
  if (drawing.clock.now() - Date.parse(approval.requestedAt) < CHECKS_FOR_MS) await drawing.checkSlack?.();
  if (!asksNow(view, drawing)) return;
  await drawing.approvals.postpone(approval.pid, nextLookAt(approval, drawing.clock.now()), approval.version);
}

const CHECKS_FOR_MS = 5 * 60_000;

/** Undefined also for a row that cannot be read and has its end: its cards show that, wherever they stand. */
async function readOrDrawEnd(
  pid: string,
  only: CardLine['only'] | undefined,
  drawing: Drawing,
): Promise<ApprovalView | undefined> {
  try {
    return await drawing.approvals.read(pid);
  } catch (error) {
    if (!(error instanceof UnreadableApprovalError) || !error.unread.isDecided) throw error;
    if (only !== 'post') await drawUnread(error.unread, drawing);
    return undefined;
  }
}

async function drawUnread({ pid, agent, cards }: UnreadApproval, drawing: Drawing): Promise<void> {
  const { poster, approvals } = drawing;
  const card = renderEnded({ pid, agent });
  const faults: unknown[] = [];
  for (const each of cards.filter(({ gone, drawn }) => !gone && drawn !== UNREAD)) {
    try {
      if (each.list !== undefined && agent !== undefined)
        await requestList({ id: each.list, channel: each.channel, agent }, `${pid}-${UNREAD}`, drawing);
      const isThere = each.list !== undefined || (await poster.update(each, card));
      await approvals.addCard(pid, { ...each, ...(isThere ? { drawn: UNREAD } : { gone: true }) });
    } catch (error) {
      if (isChannelProblem(error)) await approvals.addCard(pid, { ...each, gone: true });
      else faults.push(error);
    }
  }
  throwOneOf(faults);
}

/** The state that is noted for an updated card whose row could not be read. */
const UNREAD = 'unread';

/** Draws a row whose text cannot be shown any more. @throws the fault itself while somebody may still be asked. */
function endedCard({ approval: { pid, agent }, decision }: ApprovalView, error: unknown): RenderedCard {
  if (!decision) throw error;
  return renderEnded({ pid, agent, outcome: decision.outcome });
}

interface Updated {
  /** Cards that somebody deleted. */
  readonly deleted: readonly Card[];
  /** Cards that Slack took now, by the card of before. */
  readonly drawn: ReadonlyMap<Card, Card>;
}

type Anew = CardLine['anew'];

const NOTHING: Updated = { deleted: [], drawn: new Map() };

/** A card that shows this state of the row already is left alone, unless it is drawn `anew`. */
async function updateCards(view: ApprovalView, faults: unknown[], drawing: Drawing, anew?: Anew): Promise<Updated> {
  const { approval, decision } = view;
  // Beside the drawing, for which people wait: nothing on these cards is of it.
  const noted = Promise.allSettled(decision && !isForged(decision) ? [noteEnd(approval, drawing.history)] : []);
  const updated = await redraw(view, faults, drawing, anew);
  for (const one of await noted) if (one.status === 'rejected') throw one.reason;
  return updated;
}

async function redraw(view: ApprovalView, faults: unknown[], drawing: Drawing, anew?: Anew): Promise<Updated> {
  const { approval, decision } = view;
  const posted = view.cards.filter(({ gone }) => !gone);
  if (!posted.length) return NOTHING;
  // A row that ended and can no longer be shown still shows its end.
  const source = await sourceFor(view, drawing).catch((error: unknown) => error);
  const ended = isSource(source) ? undefined : endedCard(view, source);
  const state = stateOf(view);
  const deleted: Card[] = [];
  const drawn = new Map<Card, Card>();
  for (const each of posted) {
    const on = isSource(source) ? sourceOn(source, each, drawing) : undefined;
    const news = isWithdrawn(approval) || !on ? [] : newsOf(on, each.channel);
    const isTold = news.every(({ key }) => each.said?.includes(key));
    if (!anew && each.drawn === state && isTold) continue;
    if (each.list !== undefined) {
      const { list: id, channel } = each;
      const reason = anew === 'look' ? anew : `${approval.pid}-${state}`;
      await requestList({ id, channel, agent: approval.agent }, reason, drawing, anew && true);
      continue;
    }
    const now = () => ({
      ...{ card: on ? cardOf(view, on, each) : (ended as RenderedCard), state, news },
      shown: on && taken(each, on, drawing).shown,
    });
    const result = await tryRefresh(view, each, now, faults, drawing);
    if (result === 'deleted') deleted.push(each);
    else if (result) drawn.set(each, result);
  }
  if (drawn.size && !decision) await drawAgainIfBehind(view, drawing);
  // A courtesy to others: what the limiter says to it changes nothing of this card.
  if (drawn.size && decision && isWithdrawn(approval)) await payForWithdrawn(approval, drawing).catch(() => undefined);
  return { deleted, drawn };
}

function cardOf(view: ApprovalView, source: CardSource, { channel }: Card): RenderedCard {
  try {
    return renderCard(source, channel);
  } catch (error) {
    return endedCard(view, error);
  }
}

/**
 * Draws the cards once more if the row changed meanwhile. Two workers may update one approval at once, such as when its stage moves to another
 * channel, and neither knows whose update Slack took last. The further drawing waits in the line of the newest state, behind its other drawings.
 */
async function drawAgainIfBehind(view: ApprovalView, drawing: Drawing): Promise<void> {
  const now = await drawing.approvals.read(view.approval.pid);
  if (now && stateOf(now) !== stateOf(view))
    await requestDraw('update', now, `behind-${stateOf(now)}-after-${stateOf(view)}`, drawing, true);
}

/** Whether the agent withdrew the question before anybody answered: its card tells that, and its thread needs no message. */
const isWithdrawn = ({ status, votes }: ApprovalView['approval']): boolean => status === 'cancelled' && !votes.length;

interface DrawnNow extends Pick<Card, 'shown'> {
  readonly card: RenderedCard;
  readonly state: string;
  readonly news: readonly News[];
}

/** The card as Slack took it; undefined where it failed: what has to be mended is among the faults. */
async function tryRefresh(
  view: ApprovalView,
  posted: Card,
  now: () => DrawnNow,
  faults: unknown[],
  drawing: Drawing,
): Promise<Card | 'deleted' | undefined> {
  try {
    return await refreshCard(view, posted, now(), drawing);
  } catch (error) {
    if (!(await isClosed(view, posted, error, drawing))) faults.push(error);
    return undefined;
  }
}

/** `deleted`: somebody deleted the message. */
async function refreshCard(
  view: ApprovalView,
  posted: Card,
  now: DrawnNow,
  drawing: Drawing,
): Promise<Card | 'deleted'> {
  const { pid } = view.approval;
  try {
    if (!(await drawing.poster.update(posted, now.card))) {
      await drawing.approvals.addCard(pid, { ...posted, gone: true });
      return 'deleted';
    }
  } catch (error) {
    if (!isOfContent(error)) throw error;
    // The message stands, in plain words: its thread tells the news, and the next look draws it again.
    const behind = { ...posted, drawn: undefined, shown: undefined };
    if (!(await postInThread(view, behind, now.news, drawing))) await drawing.approvals.addCard(pid, behind);
    throw error;
  }
  const drawn = { ...posted, drawn: now.state, shown: now.shown };
  if (!(await postInThread(view, drawn, now.news, drawing))) await drawing.approvals.addCard(pid, drawn);
  return drawn;
}

interface PostedCards {
  readonly cards: readonly Card[];
  /** Only time or people change the row now. */
  readonly isPostponed: boolean;
}

/**
 * Posts a card in each asked channel without one, and then updates the row. The new cards of each agent are limited, so that an agent which asks
 * in a loop does not keep others waiting.
 */
async function postMissing(
  view: ApprovalView,
  live: readonly Card[],
  faults: unknown[],
  drawing: Drawing,
): Promise<PostedCards | 'listed' | undefined> {
  const { approval } = view;
  const { agent } = approval;
  const [channel] = askedChannelsOf(approval);
  if (!asksNow(view, drawing)) return undefined;
  const shown = live.map(({ channel }) => channel);
  const lacking = channelsOf(approval).filter((channel) => !isShownIn(channel, shown));
  if (!lacking.length) return undefined;
  const source = sourceOn(await sourceFor(view, drawing), undefined, drawing);
  const cards = new Map<string, RenderedCard>();
  const cardOf = (channel: string): RenderedCard => {
    const card = cards.get(channel) ?? renderCard(source, channel);
    cards.set(channel, card);
    return card;
  };
  const missing: string[] = [];
  for (const channel of lacking) {
    const isAsked = askedChannelsOf(approval).includes(channel);
    if (!isAsked || !(await joinList(view, () => cardOf(channel), channel, drawing))) missing.push(channel);
  }
  if (!missing.length) return 'listed';
  const turn = view.cards.length ? undefined : await awaitTurn({ agent, channel, waiting: [view] }, drawing);
  const added: Card[] = [];
  for (const channel of missing) {
    try {
      const shown = await postCard(channel, cardOf(channel), { source, faults }, drawing);
      added.push(shown);
      // The card itself tells those who are asked now.
      const news = newsOf(source, channel).map(({ key }) => key);
      await drawing.approvals.addCard(approval.pid, { ...shown, ...(news.length ? { said: news } : {}) });
      await messageDirectly(approval, `card-${shown.ts}`, groupsIn(source, channel), drawing);
      await askForHomes(groupsIn(source, channel), drawing);
    } catch (error) {
      // A stage that has answered is shown where it can be.
      if (askedChannelsOf(approval).includes(channel) || !isChannelProblem(error)) faults.push(error);
    }
  }
  if (!added.length) {
    await turn?.returnToQueue();
    return undefined;
  }
  reportShown(view, drawing);
  const shownCards = [...live, ...added];
  // A row that changed since it was read is not postponed. Where this write holds, the next change finds the card.
  const isDone = !faults.length && view.cardProblem === undefined;
  if (isDone && (await postponeShown(view, shownCards, drawing))) return { cards: shownCards, isPostponed: true };
  // A change of the row meanwhile found no card to update.
  const now = await drawing.approvals.read(approval.pid);
  if (now && stateOf(now) !== stateOf(view)) await requestDraw('update', now, `behind-${stateOf(now)}`, drawing);
  return now && { cards: now.cards, isPostponed: false };
}

/** Where Slack refused the card and its plain words stand, that is a fault as well: they have no buttons, so that nobody could answer there. */
async function postCard(
  channel: string,
  card: RenderedCard,
  { source, faults }: { readonly source: CardSource; readonly faults: unknown[] },
  drawing: Drawing,
): Promise<Card> {
  const { refused, ...posted } = await drawing.poster.post(channel, card);
  if (!refused) return taken(posted, source, drawing);
  faults.push(refused);
  return posted;
}

/** Shows on every card of an approval what happened when the action ran; what went wrong is told in its thread as well. */
export async function announceRun(pid: string, ran: Ran, drawing: Drawing, inLineOf?: string): Promise<void> {
  const view = await drawing.approvals.read(pid);
  if (!view) return;
  // Beside an update of the same card it could be drawn over.
  const [channel] = channelsOf(view.approval);
  if (inLineOf !== undefined && channel !== undefined && channel !== inLineOf)
    return drawing.cards.ran(pid, channel, ran, view.approval.agent);
  const source = await sourceFor(view, drawing);
  const all = [...(source.ran ?? []).filter(({ permitId }) => permitId !== ran.permitId), ran];
  const faults: unknown[] = [];
  for (const card of view.cards.filter(({ gone }) => !gone)) {
    const now = { ...card, ran: all };
    try {
      if (!card.ran?.some(({ permitId, status }) => permitId === ran.permitId && status === ran.status)) {
        if (card.list !== undefined) {
          await drawing.approvals.addCard(pid, now);
          const list = { id: card.list, channel: card.channel, agent: view.approval.agent };
          await requestList(list, `ran-${ran.permitId}-${ran.status}`, drawing);
          await postInThread(view, now, ranNews(ran, source), drawing);
          continue;
        }
        const drawn = renderCard({ ...sourceOn(source, card, drawing), ran: all }, card.channel);
        const isThere = await drawing.poster.update(card, drawn).catch(async (error: unknown) => {
          if (isOfContent(error)) await postInThread(view, card, ranNews(ran, source), drawing);
          throw error;
        });
        await drawing.approvals.addCard(pid, isThere ? now : { ...now, gone: true });
        if (!isThere) continue;
      }
      await postInThread(view, now, ranNews(ran, source), drawing);
    } catch (error) {
      if (!(await isClosed(view, card, error, drawing))) faults.push(error);
    }
  }
  await conclude(view, faults, drawing);
}

/** The channel of a card that asks nobody any more was closed: nobody sees the card, and nothing is left to mend. */
async function isClosed(view: ApprovalView, card: Card, error: unknown, drawing: Drawing): Promise<boolean> {
  if (!isChannelProblem(error)) return false;
  if (asksNow(view, drawing) && isAskedIn(view.approval, card.channel)) return false;
  await drawing.approvals.addCard(view.approval.pid, { ...card, gone: true });
  return true;
}

/** Notes what kept a card from being drawn, or that nothing does any more, and passes the first fault on. */
async function conclude(view: ApprovalView, faults: readonly unknown[], drawing: Drawing): Promise<void> {
  const { approval, cardProblem } = view;
  const problem = faults.map(problemOf).find((one) => one !== undefined);
  if (problem !== cardProblem && (problem !== undefined || !faults.length))
    await drawing.approvals.noteCardProblem(approval.pid, problem);
  throwOneOf(faults);
}

const isSource = (value: unknown): value is CardSource =>
  typeof value === 'object' && value !== null && 'approval' in value && 'proposal' in value;
