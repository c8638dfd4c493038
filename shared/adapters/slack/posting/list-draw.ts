/** Draws the card that lists several calls from their rows, and registers it as the card of each. */
import { askedChannelsOf } from '../../../domain/approval/approval.ts';
import { UnreadableApprovalError } from '../../../domain/approval/unread-approval.ts';
import { sha256Hex } from '../../../domain/digest.ts';
import type { ApprovalView, Card } from '../../../ports/stores/approval-store.ts';
import type { CardList } from '../../../ports/stores/card-lists.ts';
import type { RenderedCard } from '../cards/card.ts';
import { renderList } from '../cards/list-card.ts';
import { listPushText } from '../cards/list-text.ts';
import { awaitTurn } from './card-rate.ts';
import { asksNow, type Drawing, sourceFor } from './drawing.ts';
import { isOfContent } from './errors.ts';
import { requestList } from './list-join.ts';
import { type ListedCall, postTogether } from './list-news.ts';
import { keepUp, type Listed, noteFault, type Stands } from './list-rows.ts';
import { lookAgain } from './look-again.ts';
import { isOutage } from './outage.ts';
import { sourceOn } from './source-on.ts';

const MAX_TRIES = 5;
/** The reconciler reads an unreadable row again after so long: the queue drops the same request for five minutes. */
const UNREAD_MS = 6 * 60_000;

/**
 * Draws a list from its rows. A list that shows them already is left alone, unless it is drawn `anew`. A crash between posting and storing may
 * leave two messages, which are both updated from then on. A drawing with new calls takes a turn of its agent's new cards, any other one a turn of
 * its updates. Calls that arrive, or are decided, between two turns are therefore drawn together.
 */
export async function drawList(id: string, drawing: Drawing, anew?: true): Promise<void> {
  const list = await drawing.lists.readList(id);
  if (!list) return;
  const all = await Promise.all(list.pids.map((pid) => listedOf(pid, list, drawing)));
  // A call that ended before anybody saw it is not shown.
  const shown = all.filter(({ card, entry }) => card !== undefined || entry.kind === 'asks' || entry.kind === 'unread');
  const asking = shown.filter(({ entry }) => entry.kind === 'asks');
  if (!shown.length) return;
  const rendered = renderList({ ...list, entries: shown.map(({ entry }) => entry) });
  const state = sha256Hex(JSON.stringify(rendered));
  const isCurrent = !anew && list.drawn === state && asking.every(({ card }) => card !== undefined);
  try {
    const stands: Stands | undefined = isCurrent ? list : await draw(list, { rendered, state, asking }, drawing);
    // Somebody else was faster: the list is drawn once more.
    if (!stands) return;
    const calls: ListedCall[] = [];
    for (const one of shown) {
      const call = await keepUp(one, list, stands, drawing);
      if (call) calls.push(call);
    }
    await postTogether(list, calls, drawing);
    if (stands.refused) throw stands.refused;
    // Nothing else draws the list again once the row can be read, and until then nobody can answer the call.
    for (const { pid, entry } of all)
      if (entry.kind === 'unread') await lookAgain(pid, 'cannot_draw', UNREAD_MS, drawing);
  } catch (error) {
    await noteFault(error, shown, drawing);
  }
}

/** The list in a few words, for a direct message; undefined where it is gone. */
export async function listText(id: string, drawing: Drawing): Promise<string | undefined> {
  const list = await drawing.lists.readList(id);
  if (!list) return undefined;
  const all = await Promise.all(list.pids.map((pid) => listedOf(pid, list, drawing)));
  return listPushText({ ...list, entries: all.map(({ entry }) => entry) });
}

async function listedOf(pid: string, list: CardList, drawing: Drawing): Promise<Listed> {
  const isOurs = (card: Card) => card.list === list.id && !card.gone;
  let view: ApprovalView | undefined;
  try {
    view = await drawing.approvals.read(pid);
    if (!view) return { pid, entry: { kind: 'unreadable' } };
    const card = view.cards.find(isOurs);
    const source = sourceOn(await sourceFor(view, drawing), card, drawing);
    const asks = asksNow(view, drawing) && askedChannelsOf(view.approval).includes(list.channel);
    const isOpen = view.approval.status === 'pending' && !view.decision;
    return { pid, view, source, card, entry: { kind: asks ? 'asks' : isOpen ? 'waits-elsewhere' : 'ended', source } };
  } catch (error) {
    if (isOutage(error)) throw error;
    const unread = error instanceof UnreadableApprovalError ? error.unread : undefined;
    // A decided call waits no more, also where only its text cannot be shown: no look brings that back.
    const kind = view?.decision || unread?.isDecided ? 'unreadable' : 'unread';
    return { pid, card: (view ?? unread)?.cards.find(isOurs), entry: { kind } };
  }
}

/** Undefined if another change of the list came first. */
async function draw(
  list: CardList,
  { rendered, state, asking }: { readonly rendered: RenderedCard; readonly state: string; readonly asking: Listed[] },
  drawing: Drawing,
): Promise<Stands | undefined> {
  const { lists, poster } = drawing;
  const { agent, channel } = list;
  const waiting = asking.flatMap(({ view, card }) => (view && !card ? [view] : []));
  const turn = await awaitTurn({ agent, channel, waiting }, drawing);
  const claimed = { ...list, version: list.version + 1, draws: list.draws + 1 };
  if (!(await lists.writeList(claimed))) {
    await turn.returnToQueue();
    await requestList(list, `behind-${list.version}`, drawing);
    return undefined;
  }
  const messages: string[] = [];
  let refused: Stands['refused'];
  const stays = (error: unknown): true => {
    if (!isOfContent(error)) throw error;
    refused = error;
    return true;
  };
  try {
    // One that Slack refuses stands in plain words: its thread tells the news, and the next request draws it again.
    for (const ts of list.messages) if (await poster.update({ channel, ts }, rendered).catch(stays)) messages.push(ts);
    if (!messages.length && asking.length) {
      const { ts, ...posted } = await poster.post(channel, rendered);
      messages.push(ts);
      refused = posted.refused;
    }
  } catch (error) {
    await turn.returnToQueue();
    throw error;
  }
  await store(list, { messages, state: refused ? '' : state, draws: claimed.draws }, drawing);
  return { messages, refused, isDrawn: true };
}

/** Stores the messages whatever changed meanwhile. A drawing that another one overtook may have been the last at Slack: both are drawn over. */
async function store(
  before: CardList,
  { messages, state, draws }: { readonly messages: readonly string[]; readonly state: string; readonly draws: number },
  drawing: Drawing,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const now = await drawing.lists.readList(before.id);
    if (!now) return;
    const others = now.messages.filter((ts) => !before.messages.includes(ts));
    const isLast = now.draws === draws;
    const next = {
      ...now,
      version: now.version + 1,
      messages: [...new Set([...messages, ...others])],
      drawn: isLast && !others.length ? state : undefined,
    };
    if (!(await drawing.lists.writeList(next))) continue;
    if (next.drawn === undefined) await requestList(before, `overtaken-${next.version}`, drawing, true);
    return;
  }
  throw new Error('the list changes all the time');
}
