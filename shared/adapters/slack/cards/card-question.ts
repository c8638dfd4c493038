/** Draws the question of a card: calls that would run, a chosen action, or a question of the agent. */
import type { KnownBlock, RichTextBlockElement, RichTextElement } from '@slack/types';
import type { ActionChoiceProposal, AskedCall, Question, ToolCall, Vote } from '../../../contract/index.ts';
import { agentWords } from '../../../domain/agent-words.ts';
import { callsOf, choiceOn, tallyOf } from '../../../domain/approval/approval.ts';
import { canonicalJson } from '../../../domain/digest.ts';
import { askedCallOf } from '../../../domain/proposal/asked-call.ts';
import { isHighSeverity } from '../../../domain/severity.ts';
import { argumentsOf, type Shown } from '../elements/arguments.ts';
import { line, quoted, words } from '../elements/blocks.ts';
import { shortened, visible, visibleJson, visibleName } from '../elements/text.ts';
import { CARD, listed } from '../texts/card.ts';
import { actionNotes, argumentElements, bold, callElements, fits, plain, type Room, whyBlock } from './call-blocks.ts';
import { type CardSource, editorNames, voterName } from './card-source.ts';

/** How much of each text is shown, and of how many calls. */
export interface QuestionRoom extends Room {
  readonly calls: number;
  readonly says: number;
  readonly ending: number;
}

/** In a few words, for the title. */
export function subjectOf(question: Question): string {
  switch (question.kind) {
    case 'calls': {
      const tools = [...new Set(question.calls.map(({ toolName }) => toolName))].join(', ');
      const calls = question.calls.length;
      return calls > 1 ? CARD.callsOf(calls, visibleName(tools)) : visibleName(tools);
    }
    case 'choice':
      return visibleName(question.proposed.flowId);
    case 'input':
      return 'a question';
    default:
      return question satisfies never;
  }
}

/** The call of the proposal that a question asks about, as it would run. */
export const callOf = (asked: AskedCall, { proposal }: Pick<CardSource, 'proposal'>): ToolCall | undefined =>
  proposal.kind === 'tool-call' ? askedCallOf(asked, proposal) : undefined;

/** The action that the agent's policy chose. */
export const actionOf = (
  { index }: { readonly index: number },
  { proposal }: Pick<CardSource, 'proposal'>,
): ActionChoiceProposal['actionSpace']['actions'][number] | undefined =>
  proposal.kind === 'action-choice' ? proposal.actionSpace.actions[index] : undefined;

/** Whether everything that would happen has its place within `room`. */
export function isWhole(source: CardSource, room: QuestionRoom): boolean {
  const { question } = source.approval;
  switch (question.kind) {
    case 'calls':
      return (
        question.calls.length <= room.calls &&
        question.calls.every((asked) => fits(callOf(asked, source), room, source))
      );
    case 'choice': {
      const action = actionOf(question.proposed, source);
      return action !== undefined && actionShown(action).every(({ text }) => text.length <= room.argument);
    }
    case 'input':
      return visible(question.question).length <= room.argument;
    default:
      return question satisfies never;
  }
}

export function askedBlocks(source: CardSource, room: QuestionRoom): KnownBlock[] {
  const { question } = source.approval;
  switch (question.kind) {
    case 'calls':
      return calls(source, room);
    case 'choice': {
      const { proposed, policy, why } = question;
      const action = actionOf(proposed, source);
      const persona = visibleName(proposed.personaId);
      return [
        {
          type: 'rich_text',
          elements: [
            words([bold(visibleName(proposed.flowId)), plain(CARD.chosenBy(policy, persona))]),
            ...(action ? actionShown(action) : []).flatMap((one) => argumentElements(one, room)),
          ],
        },
        choiceWhy(why, action, room),
      ];
    }
    case 'input':
      return [quoted(CARD.says(visible(source.approval.agent)), shortened(visible(question.question), room.argument))];
    default:
      return question satisfies never;
  }
}

const choiceWhy = (why: string, action: Action | undefined, room: Pick<QuestionRoom, 'why'>): KnownBlock => ({
  type: 'rich_text',
  elements: [
    words([bold(CARD.why), plain(shortened(visible(why), room.why))]),
    ...actionNotes(action).map((note) => words([bold(CARD.takeNote), ...note])),
  ],
});

/** Why people are asked, and what is certain about the calls, for a form without the card beside it. */
export function whyBlocks(source: CardSource, room: Room): KnownBlock[] {
  const { question } = source.approval;
  switch (question.kind) {
    case 'calls':
      return [whyBlock(question.calls, source, room)];
    case 'choice':
      return [choiceWhy(question.why, actionOf(question.proposed, source), room)];
    case 'input':
      return [];
    default:
      return question satisfies never;
  }
}

/** The agent's own words, marked as such; never the basis of a decision. */
export function agentSays({ approval, proposal }: CardSource, most: number): KnownBlock[] {
  const { question } = approval;
  const asked = question.kind === 'input' ? question.question.trim() : undefined;
  const words = agentWords(proposal)
    .filter((text) => text.trim() !== asked)
    .join('\n');
  return words ? [quoted(CARD.says(visible(approval.agent)), shortened(visible(words), most))] : [];
}

type Action = ActionChoiceProposal['actionSpace']['actions'][number];

/** The purpose of the action and its arguments, without its two names: these stand above them. */
function actionShown({ flow_id: _, persona_id: __, ...input }: Action): Shown[] {
  return Object.keys(input).length ? argumentsOf({ input }) : [];
}

/** The action with its description first, so that people read its purpose before its arguments. */
export function readable(action: Action): Record<string, unknown> {
  const { description, flow_id, persona_id, ...rest } = action;
  return { ...(description === undefined ? {} : { description }), flow_id, persona_id, ...rest };
}

function calls(source: CardSource, room: QuestionRoom): KnownBlock[] {
  const asked = callsOf(source.approval.question);
  const shown = asked.slice(0, room.calls);
  const elements = shown.flatMap((call, index): RichTextBlockElement[] => {
    const around = asked.length > 1 ? numbered(call, index, source) : { before: [], after: [] };
    return callElements(call, callOf(call, source), source, room, around.before, around.after);
  });
  return [
    { type: 'rich_text', elements },
    ...(asked.length > shown.length ? [line(CARD.moreCalls(asked.length - shown.length))] : []),
    whyBlock(asked, source, room),
    ...startedBlocks(source),
  ];
}

/** The number of a call in its batch, and how it stands: by whom, and why not. */
function numbered(call: AskedCall, index: number, { approval, names }: CardSource) {
  const tally = tallyOf(approval, call.id);
  const severe = isSevereAmong(call, approval.question) ? [bold(CARD.isSevere(call.severity))] : [];
  const mark = tally === 'open' ? '' : tally === 'approved' ? '✓ ' : '✗ ';
  const before: RichTextElement[] = [bold(`${mark}${index + 1}`), plain(' · ')];
  // A rejection may not end it: whoever is still asked sees it all the same. One of the whole batch stands above the calls.
  const votes = approval.votes.filter((vote) =>
    tally === 'open'
      ? vote.choice === 'approve' && choiceOn(vote, call.id) === 'reject'
      : choiceOn(vote, call.id) === (tally === 'approved' ? 'approve' : 'reject'),
  );
  if (tally === 'open' && !votes.length) return { before, after: severe };
  const who = votersOf(votes, { approval, names });
  const reason = votes
    .map((vote) => (vote.choice === 'approve' ? vote.calls?.find(({ id }) => id === call.id)?.reason : vote.reason))
    .find((text) => text?.trim());
  const did = tally === 'approved' ? CARD.approved : CARD.rejected;
  const after = [
    ...(tally === 'open' ? severe : []),
    plain(` · ${did}${who ? CARD.by(who) : ''}`),
    ...(reason ? [plain(`: ${CARD.quote(shortened(visible(reason), 150))}`)] : []),
  ];
  return { before, after };
}

/** So many are named beside each call. */
const MAX_VOTERS = 3;
const MAX_PERSON = 60;

function votersOf(votes: readonly Vote[], source: Pick<CardSource, 'names' | 'approval'>): string {
  const named = votes.slice(0, MAX_VOTERS).map((vote) => shortened(voterName(vote, source), MAX_PERSON));
  const more = votes.length - named.length;
  return more ? `${named.join(', ')} ${CARD.andMore(more)}` : listed(named);
}

/** In a batch the risky call has to be found. */
const isSevereAmong = ({ severity }: AskedCall, question: Question): boolean =>
  isHighSeverity(severity) && callsOf(question).some((other) => other.severity !== severity);

/** The sub-agent's session that approval of the call would start: the asking session's approvals, rules and mode answer for it from then on. */
export function startedBlocks({ proposal }: Pick<CardSource, 'proposal'>): KnownBlock[] {
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  return starts ? [line(CARD.starts(visible(starts.agentId), visible(starts.sessionId)))] : [];
}

/** The arguments that people changed, as they were and as they are; empty if nobody changed any. */
export function changesOf(source: CardSource): string[] {
  const { approval, proposal } = source;
  const asked = callsOf(approval.question)[0];
  const vote = approval.votes.findLast(({ choice }) => choice === 'edit');
  const after = vote?.choice === 'edit' ? vote.input : asked?.input;
  const before =
    asked && proposal.kind === 'tool-call' ? proposal.calls.find(({ id }) => id === asked.id)?.input : undefined;
  if (!after || typeof before !== 'object' || before === null) return [];
  const was = before as Readonly<Record<string, unknown>>;
  const keys = [...new Set([...Object.keys(was), ...Object.keys(after)])];
  return keys.flatMap((key) => {
    const [old, now] = [was, after].map((input) => (Object.hasOwn(input, key) ? { value: input[key] } : undefined));
    // The order of keys says nothing.
    if (old && now && canonicalJson(old) === canonicalJson(now)) return [];
    const [from, to] = aroundChange(...textsOf(old, now));
    const name = visible(key);
    if (from === undefined) return [CARD.added(name, to ?? '')];
    return [to === undefined ? CARD.removed(name, from) : CARD.change(name, from, to)];
  });
}

interface Held {
  readonly value: unknown;
}

/** In words; as JSON where a number, or a mark of ours, would look like the text that it was, or is now. */
function textsOf(old: Held | undefined, now: Held | undefined): [string | undefined, string | undefined] {
  const texts = (show: (value: unknown) => string) => [old && show(old.value), now && show(now.value)] as const;
  const [was, is] = texts(oneLine);
  const areAlike = was === is || typeof old?.value !== typeof now?.value;
  return old && now && areAlike ? [...texts(visibleJson)] : [was, is];
}

const MAX_CHANGED = 120;
/** Characters that are shown of the common beginning of two long texts. */
const MAX_COMMON = 30;

const oneLine = (value: unknown): string =>
  typeof value === 'string' ? visible(value).replaceAll('\n', ' ⏎ ') : visibleJson(value);

/** Both texts where they differ: cut at their ends alone, two long ones would look alike. */
function aroundChange(before: string | undefined, after: string | undefined): readonly (string | undefined)[] {
  const texts = [before, after];
  const [a, b] = texts.map((text) => (text === undefined ? undefined : [...text]));
  if (!a || !b || Math.max(a.length, b.length) <= MAX_CHANGED)
    return texts.map((text) => text && shortened(text, MAX_CHANGED));
  const most = Math.min(a.length, b.length);
  let common = 0;
  while (common < most && a[common] === b[common]) common++;
  let same = 0;
  while (same < most - common && a.at(-1 - same) === b.at(-1 - same)) same++;
  const start = common > MAX_COMMON ? common - MAX_COMMON : 0;
  const end = same > MAX_COMMON ? same - MAX_COMMON : 0;
  // Two changes far from each other: the second one would not show.
  const isLong = Math.max(a.length, b.length) - start - end > MAX_CHANGED;
  return [a, b].map((points) => {
    const part = points.slice(start, points.length - end).join('');
    const shown = shortened(`${start ? '…' : ''}${part}${end ? '…' : ''}`, MAX_CHANGED);
    return isLong ? `${shown}${CARD.goesOn}` : shown;
  });
}

/** The changes that people made before they are asked again, and who made them. */
export function changeBlocks(source: CardSource, most: number): KnownBlock[] {
  const changes = changesOf(source);
  const by = editorNames(source);
  if (!changes.length) return [];
  const text = shortened(changes.join(' · '), most);
  return [
    { type: 'rich_text', elements: [words([bold(by === undefined ? CARD.changed : CARD.changedBy(by)), plain(text)])] },
  ];
}
