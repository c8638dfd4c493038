/**
 * Decides whether a waiting call gets a card of its own, or joins a list.
 *
 * A list is the card of the calls of a burst.
 */
import { isHighSeverity } from '../../../domain/severity.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import type { Burst, CardList } from '../../../ports/stores/card-lists.ts';
import type { RenderedCard } from '../cards/card.ts';
import { asksNow, type Drawing } from './drawing.ts';
import { isOutage } from './outage.ts';

/** Cards that are no further apart than this are of one burst. */
const BURST_MS = 60_000;
/** As many as one message shows: see `renderList`. */
const MAX_LISTED = 12;
const MAX_OWN = 20;
const MAX_TRIES = 5;

/**
 * True if the approval is on a list, which is drawn in a line of its own. The answer for an approval stays the same while the burst lasts.
 * After that the approval may have both a place on a list and a card; both show its row.
 * @param card draws the card that it would have of its own
 * @throws Error if others change the rows all the time.
 */
export async function joinList(
  view: ApprovalView,
  card: () => RenderedCard,
  channel: string,
  drawing: Drawing,
): Promise<boolean> {
  const { pid, agent } = view.approval;
  const asked = { pid, agent, channel, canList: isListable(view, card, channel) };
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const joined = await tryToJoin(asked, drawing);
    if (joined === 'own card') return false;
    if (joined !== 'overtaken') return requestList(joined, `joined-${asked.pid}`, drawing);
  }
  throw new Error('the lists of this agent change all the time');
}

interface JoiningCall {
  readonly pid: string;
  readonly agent: string;
  readonly channel: string;
  readonly canList: boolean;
}

async function tryToJoin(
  { pid, agent, channel, canList }: JoiningCall,
  drawing: Drawing,
): Promise<CardList | 'own card' | 'overtaken'> {
  const { lists, clock, newCards } = drawing;
  const now = clock.now();
  const burst = (await lists.readBurst(agent, channel)) ?? { agent, channel, version: 0, at: now, own: [] };
  const list = burst.list === undefined ? undefined : await lists.readList(burst.list);
  if (canList && list?.pids.includes(pid)) return list;
  const own = burst.own.filter(({ at }) => now - at < BURST_MS);
  if (own.some((one) => one.pid === pid)) return 'own card';
  const open = list && now - list.joinedAt < BURST_MS ? list : undefined;
  const recent = [...(open?.pids ?? []), ...own.map((one) => one.pid)];
  const next = { ...burst, version: burst.version + 1, at: now, own };
  if (!canList || !(await doWait(recent, newCards.listFrom - 1, drawing))) {
    const isNoted = await lists.writeBurst({ ...next, own: [...own, { pid, at: now }].slice(-MAX_OWN) });
    return isNoted ? 'own card' : 'overtaken';
  }
  const joined =
    open && open.pids.length < MAX_LISTED
      ? await extend(open, pid, now, drawing)
      : await begin(next, pid, now, drawing);
  return joined ?? 'overtaken';
}

/** Where a wrong yes is expensive, or people write the answer, there is a card of its own; so for what nobody can approve. */
function isListable({ approval }: ApprovalView, card: () => RenderedCard, channel: string): boolean {
  const { severity, kind, offers } = approval.question;
  if (isHighSeverity(severity) || kind === 'input' || !/^[CG]/.test(channel)) return false;
  return offers.includes('approve') && card().approvable;
}

/** Whether so many of these approvals still wait for people. */
async function doWait(pids: readonly string[], many: number, drawing: Drawing): Promise<boolean> {
  if (pids.length < many) return false;
  let found = 0;
  for (const pid of pids.toReversed()) {
    const view = await drawing.approvals.read(pid).catch((error: unknown) => {
      if (isOutage(error)) throw error;
      return undefined;
    });
    if (view && asksNow(view, drawing)) found += 1;
    if (found >= many) return true;
  }
  return false;
}

async function extend(list: CardList, pid: string, now: number, { lists }: Drawing): Promise<CardList | undefined> {
  const next = { ...list, version: list.version + 1, pids: [...list.pids, pid], joinedAt: now };
  return (await lists.writeList(next)) ? next : undefined;
}

/** The list is written before the burst names it: a crash between leaves a list that nothing draws. */
async function begin(next: Burst, pid: string, now: number, { lists }: Drawing): Promise<CardList | undefined> {
  const { agent, channel, version } = next;
  const list = {
    id: `${pid}-${channel}-${version}`,
    agent,
    channel,
    version: 1,
    pids: [pid],
    joinedAt: now,
    messages: [],
    draws: 0,
  };
  await lists.writeList(list);
  return (await lists.writeBurst({ ...next, list: list.id })) ? list : undefined;
}

/** Asks for the list to be drawn: in the same minute once for each reason. */
export async function requestList(
  { id, channel, agent }: Pick<CardList, 'id' | 'channel' | 'agent'>,
  reason: string,
  { cards, clock }: Drawing,
  anew?: true,
): Promise<true> {
  await cards.list(id, channel, agent, `${reason}-${Math.floor(clock.now() / BURST_MS)}`, anew);
  return true;
}
