/** Words the title of a list of calls, and the notification of it. */
import { callsOf, nextDeadline } from '../../../domain/approval/approval.ts';
import { SEVERITIES } from '../../../domain/severity.ts';
import { asSentence } from '../../../domain/text/sentence.ts';
import { shortened, visible } from '../elements/text.ts';
import { CARD } from '../texts/card.ts';
import { LIST } from '../texts/list.ts';
import { callLines, namesLine } from './card-buttons.ts';
import { deadlineUtc, runsThen } from './card-deadline.ts';
import type { CardSource } from './card-source.ts';

/** One call, or batch, of the list. */
export type ListEntry =
  /** Somebody in this channel can answer it now. */
  | { readonly kind: 'asks'; readonly source: CardSource }
  | { readonly kind: 'waits-elsewhere' | 'ended'; readonly source: CardSource }
  /** The row is gone, or has ended and cannot be read. */
  | { readonly kind: 'unreadable' }
  /** The call may still wait, and nobody can read the row now. */
  | { readonly kind: 'unread' };

export interface ListSource {
  readonly agent: string;
  readonly channel: string;
  readonly entries: readonly ListEntry[];
}

const MAX_PUSH = 400;

export const severityOf = ({ approval }: CardSource): string => CARD.severity[approval.question.severity];

export const asking = ({ entries }: ListSource): CardSource[] =>
  entries.flatMap((entry) => (entry.kind === 'asks' ? [entry.source] : []));

/** A batch is one entry, and several calls. */
const callsIn = (entries: readonly ListEntry[]): number =>
  entries.reduce(
    (sum, entry) => sum + ('source' in entry ? Math.max(1, callsOf(entry.source.approval.question).length) : 1),
    0,
  );

/** The risky call of a batch comes first where not all find room. */
export const nameIn = (source: CardSource, most: number): string => {
  const name = namesLine(source);
  return [...name].length <= most ? name : shortened(callLines(source, most).replaceAll('\n', ', '), most);
};

/** An edit may have made a listed call a severe one: the list begins with the most severe. */
export function titleOf(source: ListSource): string {
  const waiting = asking(source);
  const agent = visible(source.agent);
  const unread = source.entries.filter(({ kind }) => kind === 'unread');
  if (!waiting.length && unread.length) return LIST.wants(agent, callsIn(unread));
  if (!waiting.length) return LIST.decided(agent, callsIn(source.entries));
  const severities = waiting.map(({ approval }) => approval.question.severity);
  const worst = SEVERITIES.findLast((one) => severities.includes(one)) ?? 'medium';
  return `${CARD.severity[worst]}${LIST.wants(agent, callsIn(waiting.map((one) => ({ kind: 'asks', source: one }))))}`;
}

/** For a notification: the calls that wait, the first of their ends, and that each is decided by itself. */
export const listPushText = (source: ListSource): string => listWords(source, runsThen);

/** For a list that Slack refuses: silence about it is no yes. */
export const listPlainText = (source: ListSource): string => listWords(source, () => '');

function listWords(source: ListSource, then: typeof runsThen): string {
  const waiting = asking(source);
  const names = waiting.map((one) => `${severityOf(one)}${nameIn(one, MAX_PUSH)}`).join(', ');
  const [first] = waiting.toSorted((a, b) => nextDeadline(a.approval).at - nextDeadline(b.approval).at);
  const sentence = shortened(`${titleOf(source)}${names ? `: ${names}` : ''}`, MAX_PUSH).replaceAll('\n', ' ');
  if (!first) return sentence;
  return `${asSentence(sentence)} ${LIST.push.each}${LIST.push.first(deadlineUtc(first.approval))}.${then(first)}`;
}
