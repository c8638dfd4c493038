/** Words a note in a thread that asks people about one call, or about several of a list. */
import type { KnownBlock } from '@slack/types';
import { channelsOf, nextDeadline } from '../../../domain/approval/approval.ts';
import { asSentence } from '../../../domain/text/sentence.ts';
import type { AskedGroup } from '../../../ports/audience.ts';
import { line, markup } from '../elements/blocks.ts';
import { inText, shortened, visible } from '../elements/text.ts';
import { CARD, listed } from '../texts/card.ts';
import { THREAD } from '../texts/thread.ts';
import { namesLine } from './card-buttons.ts';
import { deadlineUtc, runsThen, untilText } from './card-deadline.ts';
import { groupsIn, mentionsOf, mergedGroups } from './card-people.ts';
import type { CardSource } from './card-source.ts';

export interface ThreadNote {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  /** Channels where it is also shown in the channel itself. */
  readonly loudIn?: readonly string[];
}

export interface Together {
  readonly kind: 'reminder' | 'escalation';
  /** The groups that are asked, by name; of an escalation the one that did not answer, and then the one that is asked as well. */
  readonly groups: readonly string[];
}

const MAX_TEXT = 2_900;

/** A note that mentions those of the channel who can answer, each of them once. Agents wrote a part of the text: it is no markup. */
export function asking(
  source: CardSource,
  groups: readonly AskedGroup[],
  text: string,
  loudIn: readonly string[] = [],
): ThreadNote {
  const words = `${CARD.severity[source.approval.question.severity]}${text}`;
  return noteFor(source, groups, { words, loudIn });
}

interface Asking {
  readonly words: string;
  readonly loudIn: readonly string[];
  readonly areSeveral?: true;
}

/** `first`: the question whose deadline is told. A phone shows the text alone: it has the deadline as well. */
function noteFor(first: CardSource, groups: readonly AskedGroup[], { words, loudIn, areSeveral }: Asking): ThreadNote {
  const sentence = asSentence(shortened(words.replaceAll('\n', ' '), MAX_TEXT));
  const mentions = mentionsOf(groups);
  const until = [mentions, `${areSeveral ? THREAD.first : ''}${untilText(first)}`].filter(Boolean).join(' · ');
  const time = deadlineUtc(first.approval);
  // The name of somebody who is told otherwise would read as the subject of the sentence.
  const notified = mentionsOf(groups.map(onlyMentioned));
  return {
    text: `${notified ? `${notified} ` : ''}${inText(sentence)} ${areSeveral ? THREAD.firstUntil(time) : THREAD.until(time)}${runsThen(first)}`,
    blocks: [line(sentence), markup(shortened(until, MAX_TEXT))],
    loudIn,
  };
}

const onlyMentioned = (group: AskedGroup): AskedGroup => ({
  ...group,
  people: group.people.filter(({ notify }) => notify === 'mention'),
});

const MAX_NAMED = 120;

/** One note for several calls of an agent in a channel: of who is asked as well, or that they still wait. */
export function noteTogether(
  sources: readonly CardSource[],
  channel: string,
  { kind, groups: [group = '', ...others] }: Together,
): { readonly note: ThreadNote; readonly asks: readonly AskedGroup[] } {
  const asks = mergedGroups(sources.flatMap((source) => groupsIn(source, channel)));
  const approvals = sources.map(({ approval }) => approval);
  const [first] = sources.toSorted((a, b) => nextDeadline(a.approval).at - nextDeadline(b.approval).at) as [CardSource];
  const names = sources.map((source) => {
    const severity = CARD.severity[source.approval.question.severity];
    return `${severity}${shortened(namesLine(source), MAX_NAMED)}`;
  });
  const calls = THREAD.calls(names.length, visible(first.approval.agent), names.join(', '));
  const words =
    kind === 'reminder'
      ? THREAD.reminderOfCalls(listed([group, ...others]), calls)
      : THREAD.escalatedCalls(group, others.join(', '), calls);
  const loudIn = approvals.flatMap((one) => channelsOf(one).slice(0, 1 + others.length));
  return { note: noteFor(first, asks, { words, loudIn, areSeveral: true }), asks };
}
