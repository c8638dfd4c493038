/** Words the news for the thread of a card: whom it waits for now, and texts too long for the card. */
import type { Decision } from '../../../contract/index.ts';
import { callsOf, channelsOf, currentStage, isShownIn, statedChoice } from '../../../domain/approval/approval.ts';
import { ownValue } from '../../../domain/own.ts';
import type { AskedGroup } from '../../../ports/audience.ts';
import type { Ran } from '../../../ports/stores/outbox.ts';
import { line, markup, quoted } from '../elements/blocks.ts';
import { inText, shortened, visible, visibleName } from '../elements/text.ts';
import { listed, took } from '../texts/card.ts';
import { THREAD } from '../texts/thread.ts';
import { namesLine, numberedNames } from './card-buttons.ts';
import {
  isInputAnswered,
  isOverruled,
  isPaused,
  MAX_REASON,
  overruledAnswers,
  overruledCalls,
  reasonsOf,
} from './card-decided.ts';
import { folderText } from './card-folders.ts';
import { groupsIn } from './card-people.ts';
import { type CardSource, namesOf, personName, reminderKey, stageKey } from './card-source.ts';
import { chosenInstead } from './other-actions.ts';
import { asking, type ThreadNote, type Together } from './thread-notes.ts';

/** Something that a thread is told once; `key` says whether it was. */
export interface News {
  readonly key: string;
  readonly note: ThreadNote;
  /** People whom the news tells that they can answer now: those of them who want a direct message get one. */
  readonly asks?: readonly AskedGroup[];
  /** An effect of time: a list tells it of all its calls that it meets at once. */
  readonly together?: Together;
}

const MAX_NAME = 200;
const MAX_TEXT = 2_900;

/** All that can be told of the row as it is, in the thread of the card in this channel. */
export function newsOf(source: CardSource, channel: string): News[] {
  if (source.decision) return ended(source);
  return source.approval.status === 'pending' ? waits(source, channel) : [];
}

function waits(source: CardSource, channel: string): News[] {
  const { approval } = source;
  const { round, stage = 0, escalated, reminders = 0, passed = [], question } = approval;
  const here = groupsIn(source, channel);
  const { group, escalateTo, channel: stageChannel } = currentStage(approval);
  const place = stageKey(approval);
  const call = THREAD.call(shortened(namesLine(source), MAX_NAME), visible(approval.agent), folderText(source));
  const asked = escalated && escalateTo ? [group, escalateTo.group] : [group];
  const loud = channelsOf(approval).slice(0, asked.length);
  const news = (key: string, note: ThreadNote, together?: Together['kind']): News => ({
    ...{ key, note, asks: here },
    ...(together ? { together: { kind: together, groups: asked } } : {}),
  });
  const wasAskedHere = question.stages
    .slice(0, stage)
    .some((one) => isShownIn(one.channel, [stageChannel]) || isShownIn(one.escalateTo?.channel ?? '', [stageChannel]));
  const isAskedHere = isShownIn(stageChannel, [channel]);
  return [
    // The card there was posted for an earlier stage or question: an update of it tells nobody.
    ...(!escalated && isAskedHere && (round > 1 || wasAskedHere)
      ? [news(`${round}-${stage}-again`, asking(source, here, again(source, call)))]
      : []),
    ...(escalated && escalateTo
      ? [news(place, asking(source, here, THREAD.escalated(group, escalateTo.group, call), loud), 'escalation')]
      : []),
    ...(reminders
      ? [
          news(
            reminderKey(approval, reminders),
            asking(source, here, THREAD.reminder(listed(asked), call), loud),
            'reminder',
          ),
        ]
      : []),
    ...passed.flatMap(({ by, to, at }) => {
      const taker = to && here.map((one) => only(one, to.user)).find(({ people }) => people.length > 0);
      if (!taker) return [];
      const note = asking(source, [taker], THREAD.passedOn(personName(by, source), call));
      return [{ key: `${place}-passed-${at}-${to.user}`, note, asks: [taker] }];
    }),
  ];
}

const again = ({ approval }: CardSource, call: string): string =>
  approval.round > 1 && approval.editors?.length ? THREAD.askedAgain(call) : THREAD.askedNow(call);

const only = ({ userGroup: _, ...group }: AskedGroup, user: string): AskedGroup => ({
  ...group,
  people: group.people.filter(({ person }) => person.user === user),
});

/** The card says how the approval ended. The thread tells approvers of an overruled approval, and holds texts too long for the card. */
function ended(source: CardSource): News[] {
  const reasons = reasonsOf(source).filter((text) => [...text].length > MAX_REASON);
  const isRefused = isOverruled(source);
  if (!isRefused && !reasons.length) return [];
  const full = reasons.slice(-2).map((words) => quoted(THREAD.inFull, shortened(words, MAX_TEXT)));
  if (!isRefused) return [{ key: 'decided', note: { text: THREAD.inFull, blocks: full } }];
  const note = telling(source, overruledText(source));
  return [{ key: 'decided', note: { ...note, blocks: [...note.blocks, ...full] } }];
}

/** Names the calls of a batch that do not run, each reason once; for a choice, the action that people put in place of the proposed one. */
function overruledText(source: CardSource): string {
  const names = numberedNames(source);
  const apart = overruledCalls(source).flatMap((index) => names[index] ?? []);
  const why = [...new Set(overruledAnswers(source).map(overruledWhy))].join('; ');
  const name = shortened(apart.join(', ') || (chosenInstead(source)?.name ?? namesLine(source)), MAX_NAME);
  if (isInputAnswered(source.approval)) return THREAD.answerHeld(name, why);
  return THREAD.overruled(name, Math.max(1, apart.length), source.approval.status, why);
}

const overruledWhy = (answer: Pick<Decision, 'outcome' | 'reasonCode' | 'decidedBy'>): string =>
  isPaused(answer) ? THREAD.paused : (ownValue(THREAD.overruledBy, answer.outcome) ?? THREAD.overruledBy.denied);

/** To those who approved it. */
function telling(source: CardSource, words: string): ThreadNote {
  const mentions = approversOf(source);
  return {
    text: `${mentions}${inText(words)}`,
    blocks: [line(words), ...(mentions ? [markup(mentions.trim())] : [])],
  };
}

function approversOf({ approval }: CardSource): string {
  const users = approval.votes.filter((vote) => statedChoice(vote) !== 'reject').map(({ by }) => by.user);
  return [...new Set(users)].map((user) => `<@${user}> `).join('');
}

/** The card shows what came of a call; what failed, or may have run, also reaches those who approved it. */
export function ranNews(
  { callId, permitId, status, durationMs, toolName, errorCode }: Ran,
  source: CardSource,
): News[] {
  if (status === 'succeeded') return [];
  const at = callsOf(source.approval.question).findIndex(({ id }) => id === callId);
  const name = shortened(namesOf(source)[at]?.text ?? visibleName(toolName ?? callId), MAX_NAME);
  const words =
    status === 'failed' ? THREAD.failed(name, took(durationMs), errorCode && visible(errorCode)) : THREAD.unknown(name);
  const note = { ...telling(source, words), loudIn: channelsOf(source.approval) };
  return [{ key: `ran-${permitId}`, note }];
}
