/** Draws the card of an approval from its row. The agent's words are text and nothing else. */
import type { KnownBlock } from '@slack/types';
import type { Decision } from '../../../contract/index.ts';
import { currentStage, isAskedIn, isShownIn, samePerson } from '../../../domain/approval/approval.ts';
import { canQuestionBeJudged } from '../../../domain/redaction/judgeable/judgeable.ts';
import { asSentence } from '../../../domain/text/sentence.ts';
import type { AskedGroup } from '../../../ports/audience.ts';
import { header, line, MAX_HEADER, markup, small, smallMarkup } from '../elements/blocks.ts';
import { inText, shortened, utcDay, visible, withoutEscapes } from '../elements/text.ts';
import { CARD } from '../texts/card.ts';
import { buttonsOf, callLines, namesLine } from './card-buttons.ts';
import { askedLate, deadlineUtc, runsThen } from './card-deadline.ts';
import { decidedCard } from './card-decided.ts';
import { folderText } from './card-folders.ts';
import { elsewhereBlock, groupsIn, isUnanswerable, mentionsOf, peopleBlock, unansweredText } from './card-people.ts';
import { agentSays, askedBlocks, changeBlocks, isWhole, type QuestionRoom } from './card-question.ts';
import { type CardSource, type Extent, namesOf, personName } from './card-source.ts';
import { readable } from './view-all.ts';

export interface RenderedCard {
  /** All that a notification shows. */
  readonly text: string;
  readonly blocks: KnownBlock[];
  /** The same in a few words without buttons, for a Slack that refuses the blocks. Silence about these is no yes, and they promise none. */
  readonly plain: { readonly text: string; readonly blocks: KnownBlock[] };
  /** Whether everything that would run is on the card. */
  readonly whole: boolean;
  /** Whether it is, or can be read in full behind the card's first button: only then can it be approved. */
  readonly approvable: boolean;
}

/** How much a card shows, and how much when that is more than Slack takes. Slack's limit is 3,000 characters a text object. */
const FULL: QuestionRoom = { calls: 20, argument: 2_900, why: 500, says: 300, ending: 1_000 };
const BRIEF: QuestionRoom = { calls: 10, argument: 250, why: 150, says: 200, ending: 500 };
/** Many calls may have more reasons and notes than arguments. */
const BRIEFLY_NOTED: QuestionRoom = { ...BRIEF, parts: 12 };
const TINY: QuestionRoom = { calls: 4, argument: 60, why: 60, says: 100, ending: 200, parts: 6 };
const LEAST: QuestionRoom = { ...TINY, calls: 1, parts: 2 };
/** All blocks of a message as JSON: above 13,200 characters Slack refuses it (`msg_blocks_too_long`). */
const MAX_LENGTH = 12_500;
const MAX_BLOCKS = 50;
const MAX_PUSH = 400;
const MAX_PUSHED_CALLS = 320;

/**
 * Renders the card in the order in which people read: the call in one line, who decides until when, the whole call, why it is asked, the agent's
 * own words, and the answers. `channel`: the card's; the channel of a stage that has answered gets no buttons.
 */
export function renderCard(source: CardSource, channel?: string): RenderedCard {
  // Nobody can approve it any more, whatever it shows.
  const { pid, status } = source.approval;
  if (status !== 'pending' || source.decision) {
    const decided = decidedCard(source);
    const plain = { text: decided.text, blocks: plainBlocks(decided.text, CARD.plain.ended, pid) };
    return { ...decided, plain, whole: false, approvable: false };
  }
  const judgeable = canQuestionBeJudged(source.approval.question, source.proposal);
  const fitting = judgeable && isWhole(source, FULL) ? blocksOf(source, 'whole', FULL, channel) : undefined;
  const whole = fitting !== undefined && fitsSlack(fitting);
  const approvable = whole || (judgeable && readable(source));
  const text = inText(pushText(source, channel));
  const isAsked = channel === undefined || isAskedIn(source.approval, channel);
  const words = inText(pushWords(source, channel));
  const mentions = mentionBlocks(isAsked ? groupsIn(source, channel) : []);
  const plain = { text: words, blocks: [...plainBlocks(words, CARD.plain.asks, pid), ...mentions] };
  if (whole) return { text, blocks: fitting, plain, whole, approvable };
  const extent = approvable ? 'rest behind View all' : judgeable ? 'unreadable' : 'redacted';
  const rooms = [...(extent === 'redacted' ? [FULL] : []), BRIEF, BRIEFLY_NOTED, TINY];
  const blocks = rooms.map((room) => blocksOf(source, extent, room, channel)).find(fitsSlack);
  return { text, blocks: blocks ?? blocksOf(source, extent, LEAST, channel), plain, whole, approvable };
}

/** The words of a notification, and where people find what they leave out. */
export const plainBlocks = (text: string, where: string, pid?: string): KnownBlock[] => [
  line(withoutEscapes(text).replaceAll(':\u200a', ':')),
  line(where),
  ...(pid === undefined ? [] : [smallMarkup(CARD.id(pid))]),
];

/** For a message that says nothing else to those who are asked. */
export function mentionBlocks(groups: readonly AskedGroup[]): KnownBlock[] {
  const mentions = mentionsOf(groups);
  return mentions ? [markup(mentions)] : [];
}

interface EndedSource {
  readonly pid: string;
  readonly agent: string | undefined;
  readonly outcome?: Decision['outcome'];
}

/** Renders an approval that ended and can no longer be shown: no button, and where to look. */
export function renderEnded({ pid, agent, outcome }: EndedSource): RenderedCard {
  const title = shortened(CARD.lost.title(outcome, agent), 150);
  const blocks = [header(title), line(CARD.lost.why), smallMarkup(CARD.id(pid))];
  const text = inText(title);
  return { text, blocks, plain: { text, blocks }, whole: false, approvable: false };
}

export const fitsSlack = (blocks: readonly KnownBlock[]): boolean =>
  blocks.length <= MAX_BLOCKS && JSON.stringify(blocks).length <= MAX_LENGTH;

function blocksOf(source: CardSource, extent: Extent, room: QuestionRoom, channel: string | undefined): KnownBlock[] {
  const { approval } = source;
  const elsewhere = channel !== undefined && !isAskedIn(approval, channel) ? channel : undefined;
  const title = titleOf(source, elsewhere !== undefined);
  const { question } = approval;
  // A question that the title holds whole does not stand there again.
  const isInTitle = question.kind === 'input' && title.endsWith(visible(question.question));
  return [
    header(title),
    elsewhere === undefined ? peopleBlock(source, channel) : elsewhereBlock(source, elsewhere),
    ...(isInTitle ? [] : askedBlocks(source, room)),
    ...notes(extent, source),
    ...changeBlocks(source, room.ending),
    ...agentSays(source, room.says),
    ...(elsewhere === undefined ? buttonsOf(source, extent) : []),
    small(footer(source)),
  ];
}

/** Our own words first: nothing that an agent writes can pass for a state. */
function titleOf(source: CardSource, isElsewhere: boolean): string {
  const { approval } = source;
  const title = `${CARD.severity[approval.question.severity]}${sentenceOf(source)}`;
  const text = isElsewhere ? CARD.waitsFor(currentStage(approval).group, title) : title;
  return shortened(text.replaceAll('\n', ' '), MAX_HEADER);
}

function sentenceOf(source: CardSource): string {
  const { agent, question } = source.approval;
  const by = visible(agent);
  const names = namesOf(source);
  const [name] = names;
  if (question.kind === 'input') return CARD.asks(by, name?.text ?? '');
  if (names.length > 1) return CARD.wantsToRunCalls(by, names.length);
  return name?.kind === 'title' ? CARD.wants(by, name.text) : CARD.wantsToRun(by, name?.text ?? '');
}

/** Slack's phones show nothing else of a message: how bad, who, what, where, who decides and until when. */
export const pushText = (source: CardSource, channel?: string): string => pushWords(source, channel, runsThen(source));

function pushWords(source: CardSource, channel: string | undefined, then = ''): string {
  const { approval } = source;
  const { question } = approval;
  const calls = namesOf(source).length > 1 ? `: ${pushedCalls(source)}` : '';
  const sentence = shortened(`${CARD.severity[question.severity]}${sentenceOf(source)}${calls}`, MAX_PUSH);
  const until = `${CARD.push.until(deadlineUtc(approval))}${then}`;
  const asked = askedLate(source);
  const since = asked === undefined ? '' : CARD.push.asked(utcDay(asked));
  const deciders = `${decidersOf(source, channel)}${until}${since}`;
  return `${asSentence(`${sentence}${folderText(source)}`)} ${deciders}`.replaceAll('\n', ' ');
}

/** Where not all find room, the numbers say which are told. */
function pushedCalls(source: CardSource): string {
  const all = namesLine(source);
  return [...all].length <= MAX_PUSHED_CALLS ? all : callLines(source, MAX_PUSHED_CALLS).replaceAll('\n', ', ');
}

function decidersOf(source: CardSource, channel: string | undefined): string {
  const { approval, audience = [] } = source;
  const { group, quorum, by } = currentStage(approval);
  if (by === 'requester') return CARD.push.requester;
  if (isUnanswerable(source)) return unansweredText(source, group, CARD.push);
  const here = audience.find((one) => channel !== undefined && isShownIn(one.channel, [channel]));
  return CARD.push.one(quorum, here?.group ?? group, approval.question.kind === 'input');
}

function notes(extent: Extent, { approval }: CardSource): KnownBlock[] {
  const { question } = approval;
  if (extent === 'whole') return [];
  if (extent === 'redacted') return [line(CARD.hidden)];
  if (question.kind === 'input') return [line(CARD.readQuestion)];
  if (extent === 'unreadable') return [line(CARD.unreadable)];
  return [line(question.offers.includes('approve') ? CARD.readRest : CARD.readElsewhere)];
}

function footer(source: CardSource): string {
  const { approval, earlier } = source;
  const { owner, requester = owner, pid } = approval;
  const isOwnerAsked = currentStage(approval).by === 'requester' && samePerson(requester, owner);
  const nameOwner = isOwnerAsked ? CARD.ownerAsked : CARD.owner;
  const isSeen = earlier && earlier.others.approved + earlier.others.rejected > 0;
  return [
    nameOwner(personName(owner, source)),
    ...(samePerson(requester, owner) ? [] : [CARD.forRequester(personName(requester, source))]),
    ...(earlier ? [CARD.before(earlier.exact.approved, earlier.exact.rejected)] : []),
    ...(isSeen ? [CARD.otherCalls(earlier.others.approved, earlier.others.rejected)] : []),
    CARD.id(pid),
  ].join(' · ');
}
