/**
 * Renders the card that lists several waiting calls of one agent.
 *
 * Each call is read and decided behind its own button.
 */
import type { KnownBlock } from '@slack/types';
import { callsOf, currentStage, nextDeadline } from '../../../domain/approval/approval.ts';
import { asSentence } from '../../../domain/sentence.ts';
import { SEVERITIES } from '../../../domain/severity.ts';
import { ACTIONS, button } from '../elements/actions.ts';
import { asCode, codeOf, header, markup, smallMarkup } from '../elements/blocks.ts';
import { escaped, shortened, visible } from '../elements/text.ts';
import { CARD } from '../words/card.ts';
import { LIST } from '../words/list.ts';
import { fitsSlack, plainBlocks, type RenderedCard } from './card.ts';
import { callLines, namesLine } from './card-buttons.ts';
import { askedTexts, deadlineUtc, untilText } from './card-deadline.ts';
import { decidedWords } from './card-decided.ts';
import { folderCode } from './card-folders.ts';
import {
  askedTimes,
  groupsIn,
  groupText,
  isUnanswerable,
  mentionsOf,
  mergedGroups,
  stageTexts,
  unansweredText,
} from './card-people.ts';
import type { CardSource } from './card-source.ts';
import { votedSoFar } from './card-votes.ts';

/** One call, or batch, of the list. */
export type ListEntry =
  /** Somebody in this channel can answer it now. */
  | { readonly kind: 'asks'; readonly source: CardSource }
  | { readonly kind: 'waits-elsewhere' | 'ended'; readonly source: CardSource }
  /** The row is gone, or has ended and cannot be read. */
  | { readonly kind: 'unreadable' }
  /** The call may still wait, and nobody can read the row now. */
  | { readonly kind: 'unread' };

interface ListSource {
  readonly agent: string;
  readonly channel: string;
  readonly entries: readonly ListEntry[];
}

/** Characters of a name and of a folder, and people who are named, and how much where that is more than Slack takes. */
const ROOMS = [
  { name: 150, folder: 80, people: 40 },
  { name: 80, folder: 30, people: 40 },
  { name: 40, folder: 0, people: 10 },
] as const;
type Room = (typeof ROOMS)[number];
const MAX_PEOPLE = 3_000;
const MAX_PUSH = 400;
const MAX_LABEL_NAME = 40;

/** At most 12 entries of two blocks, which is far from the 50 that Slack takes. */
export function renderList(source: ListSource): RenderedCard {
  const drawn = ROOMS.map((room) => blocksOf(source, room));
  const blocks = drawn.find(fitsSlack) ?? drawn.at(-1) ?? [];
  const text = escaped(listPushText(source));
  const plain = plainBlocks(text, asking(source).length ? CARD.plain.asks : CARD.plain.ended);
  return { text, blocks, plain, whole: false, approvable: false };
}

const severityOf = ({ approval }: CardSource): string => CARD.severity[approval.question.severity];

const asking = ({ entries }: ListSource): CardSource[] =>
  entries.flatMap((entry) => (entry.kind === 'asks' ? [entry.source] : []));

/** A batch is one entry, and several calls. */
const callsIn = (entries: readonly ListEntry[]): number =>
  entries.reduce(
    (sum, entry) => sum + ('source' in entry ? Math.max(1, callsOf(entry.source.approval.question).length) : 1),
    0,
  );

/** The risky call of a batch comes first where not all find room. */
const nameIn = (source: CardSource, most: number): string => {
  const name = namesLine(source);
  return [...name].length <= most ? name : shortened(callLines(source, most).replaceAll('\n', ', '), most);
};

/** An edit may have made a listed call a severe one: the list begins with the most severe. */
function titleOf(source: ListSource): string {
  const waiting = asking(source);
  const agent = visible(source.agent);
  const unread = source.entries.filter(({ kind }) => kind === 'unread');
  if (!waiting.length && unread.length) return LIST.wants(agent, callsIn(unread));
  if (!waiting.length) return LIST.decided(agent, callsIn(source.entries));
  const severities = waiting.map(({ approval }) => approval.question.severity);
  const worst = SEVERITIES.findLast((one) => severities.includes(one)) ?? 'medium';
  return `${CARD.severity[worst]}${LIST.wants(agent, callsIn(waiting.map((one) => ({ kind: 'asks', source: one }))))}`;
}

export function listPushText(source: ListSource): string {
  const waiting = asking(source);
  const names = waiting.map((one) => `${severityOf(one)}${nameIn(one, MAX_PUSH)}`).join(', ');
  const [first] = waiting.map(({ approval }) => approval).toSorted((a, b) => nextDeadline(a).at - nextDeadline(b).at);
  const sentence = shortened(`${titleOf(source)}${names ? `: ${names}` : ''}`, MAX_PUSH).replaceAll('\n', ' ');
  if (!first) return sentence;
  return `${asSentence(sentence)} ${LIST.push.each}${LIST.push.first(deadlineUtc(first))}.`;
}

function blocksOf(source: ListSource, room: Room): KnownBlock[] {
  const groups = mergedGroups(asking(source).flatMap((one) => groupsIn(one, source.channel)));
  const mentions = mentionsOf(groups, room.people);
  return [
    header(titleOf(source)),
    ...(asking(source).length
      ? [markup(shortened(`${mentions ? `${mentions}  ` : ''}*${LIST.each}*`, MAX_PEOPLE))]
      : []),
    ...source.entries.flatMap((entry, index) => entryBlocks(entry, index + 1, room, source.channel)),
  ];
}

function entryBlocks(entry: ListEntry, number: number, room: Room, channel: string): KnownBlock[] {
  if (!('source' in entry)) return [smallMarkup(`${number} · ${LIST[entry.kind]}`)];
  const { source } = entry;
  const { approval } = source;
  const name = nameIn(source, room.name);
  if (entry.kind === 'ended') return [smallMarkup(`${number} · ${decidedWords(source)} · ${codeOf(name)}`)];
  if (entry.kind === 'waits-elsewhere') {
    const { group } = currentStage(approval);
    return [smallMarkup(`${number} · ${LIST.waitsFor(escaped(group))} · ${codeOf(name)} · ${untilText(approval)}`)];
  }
  const value = { approval: approval.pid, digest: approval.question.digest };
  const severity = severityOf(source);
  const label = LIST.readLabel(shortened(name, MAX_LABEL_NAME), visible(approval.agent));
  return [
    {
      ...asCode(`${number} · ${severity && `*${severity.trim()}* `}`, `${number} · ${severity}`, name),
      accessory: button(LIST.read, ACTIONS.viewAll, value, { label }),
    },
    smallMarkup(factsOf(source, room, channel).join(' · ')),
  ];
}

function factsOf(source: CardSource, room: Room, channel: string): string[] {
  const { approval } = source;
  const { question } = approval;
  const { quorum } = currentStage(approval);
  const group = groupText(source, channel);
  const folder = room.folder > 0 ? folderCode(source, room.folder) : '';
  return [
    LIST.ofSeverity(LIST.severity[question.severity]),
    ...(callsOf(question).length > 1 ? [LIST.calls(callsOf(question).length)] : []),
    ...(folder ? [folder] : []),
    isUnanswerable(source)
      ? unansweredText(source, escaped(group))
      : quorum === 1
        ? CARD.oneDecides('nobody', escaped(group))
        : CARD.mustApprove(quorum, escaped(group)),
    ...votedSoFar(source, MAX_LABEL_NAME),
    ...stageTexts(approval),
    ...askedTimes(source),
    ...askedTexts(source),
    untilText(approval),
  ];
}
