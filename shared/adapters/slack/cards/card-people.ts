/** Tells who decides, how many of them, and until when: the line below the title of a card that waits. */
import type { KnownBlock } from '@slack/types';
import {
  approvalsSoFar,
  callsOf,
  currentStage,
  isShownIn,
  samePerson,
  statedChoice,
  tallyOf,
} from '../../../domain/approval/approval.ts';
import type { AskedGroup } from '../../../ports/audience.ts';
import { markup } from '../elements/blocks.ts';
import { inMarkup, shortened, visible } from '../elements/text.ts';
import { CARD, listed } from '../texts/card.ts';
import { askedTexts, untilText } from './card-deadline.ts';
import { type CardSource, personName, voterName } from './card-source.ts';
import { askedTimes, stageTexts } from './card-stage.ts';
import { votedSoFar } from './card-votes.ts';

/** More people than these are counted. */
const MAX_MENTIONED = 40;
const MAX_PERSON = 60;
const MAX_TEXT = 3_000;

/** The group that is asked now and whose card is in the channel; without a channel all groups that are asked now. */
export const groupsIn = ({ audience = [] }: CardSource, channel: string | undefined): readonly AskedGroup[] =>
  channel === undefined ? audience : audience.filter((one) => isShownIn(one.channel, [channel]));

/** The groups that are asked in the channel, by name; the stage's own where nobody knows who can answer. */
export const groupText = (source: CardSource, channel: string | undefined): string =>
  listed(groupsIn(source, channel).map(({ group }) => group)) || currentStage(source.approval).group;

/** Names of those who are told otherwise or not at all, and mentions of all others, as many as `most`. */
export function mentionsOf(groups: readonly AskedGroup[], most = MAX_MENTIONED): string {
  const people = groups.flatMap((group) => group.people);
  const shown = people.slice(0, most);
  return [
    ...groups.flatMap(({ userGroup }) => (userGroup === undefined ? [] : [`<!subteam^${userGroup}>`])),
    ...shown.map(({ person, name, notify }) =>
      notify === 'mention' ? `<@${person.user}>` : inMarkup(shortened(visible(name).replaceAll('\n', ' '), MAX_PERSON)),
    ),
    ...(people.length > shown.length ? [CARD.andMore(people.length - shown.length)] : []),
  ].join(' ');
}

/** The groups of several questions, each person and each user group once. */
export function mergedGroups(groups: readonly AskedGroup[]): AskedGroup[] {
  const merged: AskedGroup[] = [];
  for (const group of groups) {
    const seen = merged.flatMap(({ people }) => people);
    const isNamed = merged.some(({ userGroup }) => userGroup !== undefined && userGroup === group.userGroup);
    const people = group.people.filter(({ person }) => !seen.some((other) => samePerson(other.person, person)));
    const { userGroup, ...rest } = group;
    merged.push({ ...rest, people, ...(userGroup === undefined || isNamed ? {} : { userGroup }) });
  }
  return merged;
}

export function peopleBlock(source: CardSource, channel: string | undefined): KnownBlock {
  const { approval } = source;
  const { question, escalated, reminders = 0 } = approval;
  const { group, escalateTo } = currentStage(approval);
  const here = groupsIn(source, channel);
  const mentions = mentionsOf(here);
  const asked = here.map((one) => one.group);
  const calls = callsOf(question);
  const decided = calls.filter(({ id }) => tallyOf(approval, id) !== 'open').length;
  const isWithOthers = escalated && escalateTo && !asked.includes(escalateTo.group);
  const isAfterOthers = escalated && escalateTo && asked.includes(escalateTo.group);
  const parts = [
    `${mentions ? `${mentions}  ` : ''}*${needed(source, inMarkup(groupText(source, channel)), here)}*`,
    ...votedSoFar(source),
    ...(calls.length > 1 && decided > 0 ? [CARD.decided(decided, calls.length)] : []),
    ...askedTimes(source),
    ...askedTexts(source),
    untilText(source),
    ...stageTexts(approval),
    ...(isWithOthers ? [CARD.alsoAsked(inMarkup(escalateTo.group))] : []),
    ...(isAfterOthers ? [CARD.didNotAnswer(inMarkup(group))] : []),
    ...passedOn(source),
    // The newest one is told right after the card is drawn.
    ...(reminders ? [CARD.reminded(new Set([...(source.reminded ?? []), reminders]).size)] : []),
  ];
  return markup(shortened(parts.join(' · '), MAX_TEXT));
}

/** A card in a channel where nobody is asked any more: who answered there, and who is asked now. */
export function elsewhereBlock(source: CardSource, channel: string): KnownBlock {
  const { approval } = source;
  const stages = approval.question.stages.slice(0, approval.stage ?? 0);
  const answered = stages.flatMap((one, index) => {
    const channels = [one.channel, ...(one.escalateTo ? [one.escalateTo.channel] : [])];
    if (!channels.some((its) => isShownIn(its, [channel]))) return [];
    const votes = approval.votes.filter((vote) => vote.stage === index && statedChoice(vote) === 'approve');
    return [CARD.groupApproved(inMarkup(one.group), inMarkup(listed(votes.map((vote) => voterName(vote, source)))))];
  });
  const { group, channel: next } = currentStage(approval);
  const where = /^C/.test(next) ? ` in <#${next}>` : '';
  return markup(
    shortened(
      `${answered.join(' ')} ${CARD.nowWith(`*${inMarkup(group)}*`)}${where} · ${untilText(source)}`.trim(),
      MAX_TEXT,
    ),
  );
}

/** Whether nobody's vote would count, as where a user group was emptied. Nobody knows of one whose members Slack does not tell now. */
export const isUnanswerable = ({ audience = [] }: Pick<CardSource, 'audience'>): boolean =>
  audience.length > 0 &&
  audience.every(({ people, userGroup, members }) => !people.length && (!userGroup || members?.length === 0));

/** Why nobody is asked, in the sentences of `words`: others have to join, or those who were asked passed it on. */
export const unansweredText = (
  { audience = [] }: Pick<CardSource, 'audience'>,
  group: string,
  words: Pick<typeof CARD, 'nobodyCan' | 'allPassedOn'> = CARD,
): string => (audience.some(({ isPassedOn }) => isPassedOn) ? words.allPassedOn(group) : words.nobodyCan(group));

function needed(source: CardSource, group: string, here: readonly AskedGroup[]): string {
  const { approval } = source;
  const { quorum, by } = currentStage(approval);
  if (by === 'requester') return CARD.confirmYourself;
  if (isUnanswerable(source)) return unansweredText(source, group);
  const people = here.flatMap((one) => one.people).length;
  // Nobody knows how many a user group has.
  const isOfGroup = here.some(({ userGroup }) => userGroup !== undefined);
  const isSeveral = people > 1 || isOfGroup;
  const to = isSeveral ? 'several' : people === 1 ? 'one' : 'nobody';
  if (approval.question.kind === 'input') return CARD.oneAnswers(to, group);
  if (quorum === 1) return CARD.oneDecides(to, group);
  // Once somebody approved, fewer of those who are mentioned are needed.
  const isOfYou = !approvalsSoFar(approval).length && (people >= quorum || isOfGroup);
  return CARD.mustApprove(quorum, isOfYou ? 'you' : group);
}

const MAX_PASSED = 6;

const passedOn = (source: CardSource): string[] =>
  (source.approval.passed ?? [])
    .slice(-MAX_PASSED)
    .map(({ by, to }) => inMarkup(CARD.passedOn(personName(by, source), to && personName(to, source))));
