/**
 * Tells the thread of a list in one message about the calls that still wait.
 *
 * The message says which calls wait, or who else is asked about them now.
 */
import type { Approval } from '../../../contract/index.ts';
import { advance, currentStage, sinceOf } from '../../../domain/approval/approval.ts';
import type { Card } from '../../../ports/stores/approval-store.ts';
import type { CardList } from '../../../ports/stores/card-lists.ts';
import type { CardSource } from '../cards/card-source.ts';
import { type News, newsOf } from '../cards/thread.ts';
import { noteTogether, type Together } from '../cards/thread-notes.ts';
import { type Drawing, messageDirectly } from './drawing.ts';

/** Begins the key of a direct message about a list: one message is for all of its calls. */
export const LIST_KEY = 'list-';

/** A call that waits on a list whose message stands. */
export interface ListedCall {
  readonly source: CardSource;
  /** The list as the row knows it. */
  readonly card: Card;
}

/** Time meets the calls of a burst within so long of each other: the first of them wait for the others. */
const TOGETHER_MS = 60_000;

/** Every call of the list that the rows have news of by now, unless further calls follow at once: their change draws the list again. */
export async function postTogether(list: CardList, calls: readonly ListedCall[], drawing: Drawing): Promise<void> {
  let told = calls;
  for (const kind of ['escalation', 'reminder'] as const) told = await tellOf(kind, told, list, drawing);
}

/** The same calls, with what their rows were told. */
async function tellOf(
  kind: Together['kind'],
  calls: readonly ListedCall[],
  list: CardList,
  drawing: Drawing,
): Promise<readonly ListedCall[]> {
  const now = drawing.clock.now();
  const due = calls.flatMap((call): Due[] => {
    const news = untoldOf(call, call.source, kind, list.channel);
    return news ? [{ call, news }] : [];
  });
  if (!due.length) return calls;
  const oldest = Math.min(...due.map(({ call }) => reachedAt(call.source.approval)));
  const others = calls.filter((call) => !due.some((one) => one.call === call));
  if (now - oldest < TOGETHER_MS && others.some((call) => untoldSoon(call, kind, list.channel, now))) return calls;
  const keys = new Map<string, string>();
  for (const [groups, some] of byGroups(due)) {
    const [first] = some;
    if (!first) continue;
    const sources = some.map(({ call }) => call.source);
    const { note, asks = [] } = some.length > 1 ? noteTogether(sources, list.channel, { kind, groups }) : first.news;
    await drawing.poster.reply(first.call.card, note);
    for (const { call, news } of some) {
      const { pid } = call.source.approval;
      keys.set(pid, news.key);
      await drawing.approvals.addCard(pid, withSaid(call.card, news.key));
    }
    // One message is for all of them.
    await messageDirectly(
      first.call.source.approval,
      `${LIST_KEY}${first.call.card.ts}-${first.news.key}`,
      asks,
      drawing,
    );
  }
  return calls.map((call) => {
    const key = keys.get(call.source.approval.pid);
    return key === undefined ? call : { ...call, card: withSaid(call.card, key) };
  });
}

/** The news of this kind that the row has, and that the thread was not told; `card` knows the thread. */
const untoldOf = (
  { card }: Pick<ListedCall, 'card'>,
  source: CardSource,
  kind: Together['kind'],
  channel: string,
): News | undefined =>
  newsOf(source, channel).find(({ key, together }) => together?.kind === kind && !card.said?.includes(key));

/** Whether time alone gives the row such news within a minute. */
function untoldSoon(call: ListedCall, kind: Together['kind'], channel: string, now: number): boolean {
  const later = advance(call.source.approval, now + TOGETHER_MS);
  return later.ok && untoldOf(call, { ...call.source, approval: later.next }, kind, channel) !== undefined;
}

/** When the row's latest reminder, or its escalation, was due. */
function reachedAt(approval: Approval): number {
  const { remindMs = 0 } = currentStage(approval);
  return sinceOf(approval) + (approval.reminders ?? 0) * remindMs;
}

interface Due {
  readonly call: ListedCall;
  readonly news: News;
}

/** Calls that the same groups are asked about. */
function byGroups(due: readonly Due[]): (readonly [readonly string[], readonly Due[]])[] {
  const found = new Map<string, readonly [readonly string[], Due[]]>();
  for (const one of due) {
    const groups = one.news?.together?.groups ?? [];
    const key = JSON.stringify(groups);
    const [, some] = found.get(key) ?? [groups, []];
    found.set(key, [groups, [...some, one]]);
  }
  return [...found.values()];
}

const withSaid = (card: Card, key: string): Card => ({ ...card, said: [...(card.said ?? []), key] });
