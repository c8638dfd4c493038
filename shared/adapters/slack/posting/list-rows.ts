/**
 * Updates the rows of listed calls to their list.
 *
 * Rows have their card, the news of its thread, and the reason why people cannot see it.
 */
import { lacksCard } from '../../../domain/approval/approval.ts';
import { nextLookAt } from '../../../domain/approval/due.ts';
import type { ApprovalView, Card } from '../../../ports/stores/approval-store.ts';
import type { CardList } from '../../../ports/stores/card-lists.ts';
import { groupsIn } from '../cards/card-people.ts';
import type { CardSource } from '../cards/card-source.ts';
import type { ListEntry } from '../cards/list-text.ts';
import { newsOf } from '../cards/thread.ts';
import {
  type Drawing,
  isChannelProblem,
  messageDirectly,
  postInThread,
  problemOf,
  reportShown,
  stateOf,
} from './drawing.ts';
import type { SlackRefusedError } from './errors.ts';
import { requestList } from './list-join.ts';
import { LIST_KEY, type ListedCall } from './list-news.ts';
import { askForHomes } from './redraw-homes.ts';
import { taken } from './source-on.ts';

/** One call of a list. */
export interface Listed {
  readonly pid: string;
  /** Absent where the row is gone or cannot be read. */
  readonly view?: ApprovalView;
  readonly source?: CardSource;
  /** The list as the row knows it. */
  readonly card?: Card | undefined;
  readonly entry: ListEntry;
}

/** Timestamps of the messages that show a list now; `refused`: in its plain words, which take back no mark of a row. */
export interface Stands {
  readonly messages: readonly string[];
  readonly refused?: SlackRefusedError | undefined;
  /** Slack took them now. */
  readonly isDrawn?: true;
}

/** A row's note of its list is written again after so long only: a burst draws a list many times. */
const TAKEN_MS = 60_000;

/**
 * Registers the list as the card of the call, and posts the call's own news in the list's thread. Returns the call with its card, for news about
 * several calls; undefined if the call waits for nobody, or its card was registered just now.
 */
export async function keepUp(
  { view, source, card, entry }: Listed,
  list: CardList,
  { messages, refused, isDrawn }: Stands,
  drawing: Drawing,
): Promise<ListedCall | undefined> {
  if (!view || !source) return undefined;
  const { approval, cardProblem } = view;
  const { pid, version } = approval;
  const { approvals } = drawing;
  const stands = card && messages.includes(card.ts);
  // Somebody deleted the message.
  if (card && !stands) await approvals.addCard(pid, { ...card, gone: true });
  if (cardProblem !== undefined && !refused) await approvals.noteCardProblem(pid, undefined);
  const news = newsOf(source, list.channel);
  if (stands) {
    const own = news.filter(({ together }) => !together);
    const now = isDrawn && entry.kind === 'asks' ? takenOr(refused, card, source, drawing) : card;
    if (!(await postInThread(view, now, own, drawing)) && isNews(card, now)) await approvals.addCard(pid, now);
    const said = [...new Set([...(card.said ?? []), ...own.map(({ key }) => key)])];
    return entry.kind === 'asks' ? { source, card: { ...now, said } } : undefined;
  }
  const ts = messages[0];
  if (ts === undefined || entry.kind !== 'asks') return undefined;
  // The list itself tells those who are asked now.
  const posted: Card = { channel: list.channel, ts, list: list.id, said: news.map(({ key }) => key) };
  const added = takenOr(refused, posted, source, drawing);
  await approvals.addCard(pid, added);
  reportShown(view, drawing);
  await messageDirectly(approval, `${LIST_KEY}${ts}`, groupsIn(source, list.channel), drawing);
  await askForHomes(groupsIn(source, list.channel), drawing);
  // A row that changed since it was read is not postponed. Where this write holds, the next change finds the card.
  if (
    !lacksCard(approval, [...view.cards, added]) &&
    (await approvals.postpone(pid, nextLookAt(approval, drawing.clock.now()), version))
  )
    return undefined;
  // A change of the row meanwhile found no card to update.
  const now = await approvals.read(pid);
  if (now && stateOf(now) !== stateOf(view)) await requestList(list, `behind-${pid}-${stateOf(now)}`, drawing);
  return undefined;
}

/** Plain words have no buttons: nobody could answer there. */
const takenOr = (refused: Stands['refused'], card: Card, source: CardSource, drawing: Drawing): Card =>
  refused ? { ...card, shown: undefined } : taken(card, source, drawing);

const isNews = ({ shown: before }: Card, { shown: now }: Card): boolean =>
  before?.place !== now?.place || (now !== undefined && before !== undefined && now.at - before.at >= TAKEN_MS);

/** The rows tell why people do not see the list, or not as it should be. @throws the fault, unless nobody has to see the list any more. */
export async function noteFault(error: unknown, shown: readonly Listed[], drawing: Drawing): Promise<void> {
  const asking = shown.flatMap(({ entry, view }) => (entry.kind === 'asks' && view ? [view] : []));
  if (isChannelProblem(error) && !asking.length) {
    for (const { pid, card } of shown) if (card) await drawing.approvals.addCard(pid, { ...card, gone: true });
    return;
  }
  const problem = problemOf(error);
  for (const { approval, cardProblem } of problem === undefined ? [] : asking)
    if (problem !== cardProblem) await drawing.approvals.noteCardProblem(approval.pid, problem);
  throw error;
}
