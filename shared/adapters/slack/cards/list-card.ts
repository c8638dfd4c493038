/**
 * Renders the card that lists several waiting calls of one agent.
 *
 * Each call is read and decided behind its own button.
 */
import type { KnownBlock } from '@slack/types';
import { callsOf, currentStage } from '../../../domain/approval/approval.ts';
import type { AskedGroup } from '../../../ports/audience.ts';
import { ACTIONS, button } from '../elements/actions.ts';
import { asCode, codeOf, header, markup, smallMarkup } from '../elements/blocks.ts';
import { inMarkup, inText, shortened, visible } from '../elements/text.ts';
import { CARD } from '../texts/card.ts';
import { LIST } from '../texts/list.ts';
import { fitsSlack, mentionBlocks, plainBlocks, type RenderedCard } from './card.ts';
import { askedTexts, untilText } from './card-deadline.ts';
import { decidedWords } from './card-decided.ts';
import { folderCode } from './card-folders.ts';
import { groupsIn, groupText, isUnanswerable, mentionsOf, mergedGroups, unansweredText } from './card-people.ts';
import type { CardSource } from './card-source.ts';
import { askedTimes, stageTexts } from './card-stage.ts';
import { votedSoFar } from './card-votes.ts';
import {
  asking,
  type ListEntry,
  type ListSource,
  listPlainText,
  listPushText,
  nameIn,
  severityOf,
  titleOf,
} from './list-text.ts';

/** Characters of a name and of a folder, and people who are named, and how much where that is more than Slack takes. */
const ROOMS = [
  { name: 150, folder: 80, people: 40 },
  { name: 80, folder: 30, people: 40 },
  { name: 40, folder: 0, people: 10 },
] as const;
type Room = (typeof ROOMS)[number];
const MAX_PEOPLE = 3_000;
const MAX_LABEL_NAME = 40;

/** At most 12 entries of two blocks, which is far from the 50 that Slack takes. */
export function renderList(source: ListSource): RenderedCard {
  const drawn = ROOMS.map((room) => blocksOf(source, room));
  const blocks = drawn.find(fitsSlack) ?? drawn.at(-1) ?? [];
  const text = inText(listPushText(source));
  const where = asking(source).length ? CARD.plain.asks : CARD.plain.ended;
  const words = inText(listPlainText(source));
  const plain = { text: words, blocks: [...plainBlocks(words, where), ...mentionBlocks(askedIn(source))] };
  return { text, blocks, plain, whole: false, approvable: false };
}

/** Everybody in the channel who can answer one of the calls. */
const askedIn = (source: ListSource): AskedGroup[] =>
  mergedGroups(asking(source).flatMap((one) => groupsIn(one, source.channel)));

function blocksOf(source: ListSource, room: Room): KnownBlock[] {
  const mentions = mentionsOf(askedIn(source), room.people);
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
    return [smallMarkup(`${number} · ${LIST.waitsFor(inMarkup(group))} · ${codeOf(name)} · ${untilText(source)}`)];
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
      ? unansweredText(source, inMarkup(group))
      : quorum === 1
        ? CARD.oneDecides('nobody', inMarkup(group))
        : CARD.mustApprove(quorum, inMarkup(group)),
    ...votedSoFar(source, MAX_LABEL_NAME),
    ...stageTexts(approval),
    ...askedTimes(source),
    ...askedTexts(source),
    untilText(source),
  ];
}
