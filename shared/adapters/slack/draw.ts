/** Brings every card of an approval and its thread to what the row says; posts a card where there is none and somebody can answer (A22). */
import { channelsOf, deadlineOf, isShownIn } from '../../domain/approval.ts';
import type { ApprovalStore, ApprovalView, Card, CardProblem } from '../../ports/approval-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ran } from '../../ports/outbox.ts';
import type { VoteHistory } from '../../ports/vote-history.ts';
import { type RenderedCard, renderCard } from './card.ts';
import { earlierOf, noteEnd } from './earlier.ts';
import { SlackProblemError, SlackRefusedError } from './errors.ts';
import type { SlackPoster } from './poster.ts';
import { sourceOf } from './source.ts';
import { type News, newsOf, ranNews } from './thread.ts';

export interface Drawing {
  readonly approvals: ApprovalStore;
  readonly poster: SlackPoster;
  readonly clock: Clock;
  readonly history: VoteHistory;
}

/**
 * Run twice it may post a card, or tell a thread something, a second time (a crash before the first was registered). One channel's fault
 * does not keep another's card from being drawn; what kept one is noted in the row, and thrown at the end.
 */
export async function drawCard(pid: string, drawing: Drawing): Promise<void> {
  const view = await drawing.approvals.read(pid);
  if (!view) return;
  const { approval } = view;
  if (view.decision) await noteEnd(approval, drawing.history);
  const earlier = approval.status === 'pending' ? await earlierOf(approval, drawing.history) : undefined;
  const card = renderCard({ ...sourceOf(view), earlier });
  const news = newsOf(view);
  const faults: unknown[] = [];
  const shown = new Set<string>();
  for (const posted of view.cards) {
    if (posted.gone) continue;
    try {
      if (await redraw(pid, posted, card, news, drawing)) shown.add(posted.channel);
    } catch (error) {
      shown.add(posted.channel);
      faults.push(error);
    }
  }
  for (const channel of asksNow(view, drawing)
    ? channelsOf(approval).filter((one) => !isShownIn(one, [...shown]))
    : []) {
    try {
      const posted = await drawing.poster.post(channel, card);
      await drawing.approvals.addCard(pid, { ...posted, ...(news.length ? { said: news.map(({ key }) => key) } : {}) });
    } catch (error) {
      faults.push(error);
    }
  }
  await conclude(view, faults, drawing);
}

/** Tells the threads of an approval what happened when the action ran. */
export async function tellRan(pid: string, ran: Ran, drawing: Drawing): Promise<void> {
  const view = await drawing.approvals.read(pid);
  const faults: unknown[] = [];
  for (const card of view?.cards ?? []) {
    if (!card.gone) await tellThread(pid, card, [ranNews(ran)], drawing).catch((error) => faults.push(error));
  }
  if (view) await conclude(view, faults, drawing);
}

async function redraw(
  pid: string,
  posted: Card,
  card: RenderedCard,
  news: readonly News[],
  drawing: Drawing,
): Promise<boolean> {
  if (await drawing.poster.update(posted, card)) {
    await tellThread(pid, posted, news, drawing);
    return true;
  }
  await drawing.approvals.addCard(pid, { ...posted, gone: true });
  return false;
}

async function tellThread(pid: string, card: Card, news: readonly News[], drawing: Drawing): Promise<void> {
  const said = [...(card.said ?? [])];
  for (const { key, note } of news.filter(({ key: one }) => !said.includes(one))) {
    await drawing.poster.reply(card, note);
    said.push(key);
    await drawing.approvals.addCard(pid, { ...card, said });
  }
}

/** Notes what kept a card from being drawn, or that nothing does any more, and passes the first fault on. */
async function conclude(view: ApprovalView, faults: readonly unknown[], { approvals }: Drawing): Promise<void> {
  const problem = faults.map(problemOf).find((one) => one !== undefined);
  if (problem !== view.cardProblem && (problem !== undefined || !faults.length))
    await approvals.noteCardProblem(view.approval.pid, problem);
  if (faults.length) throw faults[0];
}

function problemOf(error: unknown): CardProblem | undefined {
  if (error instanceof SlackProblemError) return error.problem;
  return error instanceof SlackRefusedError ? 'refused' : undefined;
}

/** Whether somebody can still answer here; an identical call that waits asks for both (A24). */
const asksNow = ({ approval }: ApprovalView, { clock }: Drawing): boolean =>
  approval.status === 'pending' && approval.follows === undefined && clock.now() < deadlineOf(approval);
