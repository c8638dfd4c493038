/** Tells where an approval stands: its stage, how votes count, when its time ends. Pure. */
import type { Approval, AskedCall, Question, Stage, Vote } from '../../contract/index.ts';
import { samePerson } from './ballot.ts';

/** The calls that a question asks about; none if it asks about something else. */
export const callsOf = (question: Question): readonly AskedCall[] => (question.kind === 'calls' ? question.calls : []);

/** The stage that is asked now. */
export function currentStage({ question, stage = 0 }: Approval): Stage {
  const current = question.stages[stage];
  if (!current) throw new Error('the approval stands at a stage that it does not have');
  return current;
}

/** The group against whose limit of waiting questions the approval counts, even if a later stage asks another group. */
export const countedUnder = (row: Approval): string => row.countedUnder ?? row.question.stages[0]?.group ?? '';

/** When the current stage began, in milliseconds. */
export const sinceOf = ({ stageSince, requestedAt }: Approval): number => Date.parse(stageSince ?? requestedAt);

/** The time from which no vote counts, in milliseconds: the end of the wait, or of a stage that will not escalate. */
export function deadlineOf(row: Approval): number {
  const end = Date.parse(row.expiresAt);
  const { timeoutMs, escalateTo } = currentStage(row);
  if (timeoutMs === undefined || (escalateTo && !row.escalated)) return end;
  return Math.min(end, sinceOf(row) + timeoutMs);
}

/** The next thing that happens to a question without an answer, and when, in milliseconds. */
export interface NextDeadline {
  readonly at: number;
  readonly next: { readonly kind: 'escalates'; readonly to: string } | { readonly kind: 'expires' | 'approves' };
}

/** The deadline that people can plan by: the stage's own, where it has one. */
export function nextDeadline(row: Approval): NextDeadline {
  const { timeoutMs, escalateTo } = currentStage(row);
  const end = Date.parse(row.expiresAt);
  const stageEnd = timeoutMs === undefined ? end : sinceOf(row) + timeoutMs;
  if (escalateTo && !row.escalated && stageEnd < end)
    return { at: stageEnd, next: { kind: 'escalates', to: escalateTo.group } };
  return { at: deadlineOf(row), next: { kind: row.question.onTimeout === 'approve' ? 'approves' : 'expires' } };
}

/** When `advance` has something to do next: a reminder, an escalation, the end of a stage. The end of the wait is not among them. */
export function nextStepAt(row: Approval): number | undefined {
  if (row.follows !== undefined) return undefined;
  const { timeoutMs, remindMs } = currentStage(row);
  const since = sinceOf(row);
  const times = [
    ...(timeoutMs === undefined ? [] : [since + timeoutMs]),
    ...(remindMs === undefined ? [] : [since + ((row.reminders ?? 0) + 1) * remindMs]),
  ].filter((time) => time < Date.parse(row.expiresAt));
  return times.length ? Math.min(...times) : undefined;
}

/** Channels where the question is shown now, the current stage's first. */
export function channelsOf(row: Approval): string[] {
  const { stages } = row.question;
  const here = currentStage(row);
  const channels = [
    here.channel,
    ...(row.escalated && here.escalateTo ? [here.escalateTo.channel] : []),
    ...stages.slice(0, row.stage ?? 0).map(({ channel }) => channel),
  ];
  return [...new Set(channels)];
}

/** Whether a stage's channel shows a card. For a stage that asks one person, `channel` is the person's id, and `shown` names a conversation (`D…`). */
export const isShownIn = (channel: string, shown: readonly string[]): boolean =>
  shown.includes(channel) || (!/^[CG]/.test(channel) && shown.some((other) => other.startsWith('D')));

/** Channels where the question is asked now: the current stage's, and the one that it escalated to. */
export function askedChannelsOf(row: Approval): string[] {
  const { channel, escalateTo } = currentStage(row);
  return [...new Set([channel, ...(row.escalated && escalateTo ? [escalateTo.channel] : [])])];
}

/** Whether the question is asked in this channel now. Cards of an earlier stage or round may stand in channels that can answer no more. */
export const isAskedIn = (row: Approval, channel: string) =>
  askedChannelsOf(row).some((asked) => isShownIn(asked, [channel]));

/** Whether a channel that is asked now has no card. A follower needs none: the card of its primary asks for both. */
export const lacksCard = (
  row: Approval,
  cards: readonly { readonly channel: string; readonly gone?: true | undefined }[],
): boolean => {
  const shown = cards.filter(({ gone }) => !gone).map(({ channel }) => channel);
  return row.follows === undefined && askedChannelsOf(row).some((channel) => !isShownIn(channel, shown));
};

/** The first vote of each person who has approved, at once or call by call, all calls that are still open in the current stage. */
export function approvalsSoFar(row: Approval): Vote[] {
  const open = callsOf(row.question).filter(({ id }) => tallyOf(row, id) === 'open');
  const here = row.votes.filter((vote) => vote.stage === (row.stage ?? 0) && vote.choice === 'approve');
  return here.filter(({ by }, index) => {
    const theirs = here.filter((vote) => samePerson(vote.by, by));
    const isFirst = theirs[0] === here[index];
    return isFirst && open.every(({ id }) => theirs.some((vote) => choiceOn(vote, id) === 'approve'));
  });
}

/** How many people still have to approve in the current stage, by the call that lacks the most. */
export function approvalsLacking(row: Approval): number {
  const { question, stage = 0 } = row;
  const { quorum } = currentStage(row);
  const ids = question.kind === 'calls' ? question.calls.map(({ id }) => id) : [undefined];
  const lacking = ids.map((id) =>
    tallyOf(row, id) === 'open'
      ? quorum - row.votes.filter((vote) => vote.stage === stage && choiceOn(vote, id) === 'approve').length
      : 0,
  );
  return Math.max(0, ...lacking);
}

type CallTally = 'approved' | 'rejected' | 'open';

/** The result of the round's votes about one call, or about the whole question without an id, as of the current stage. */
export function tallyOf(row: Approval, id?: string): CallTally {
  // A row of the previous release that took the answer of an identical call names no stage beside its votes.
  const now = Math.max(row.stage ?? 0, ...row.votes.map(({ stage }) => stage));
  const { stages } = row.question;
  for (const [index, stage] of stages.slice(0, now + 1).entries()) {
    const votes = row.votes.filter((vote) => vote.stage === index);
    const approvals = votes.filter((vote) => choiceOn(vote, id) === 'approve').length;
    const rejections = votes.filter((vote) => choiceOn(vote, id) === 'reject').length;
    if (rejections && stage.rejectEnds !== false) return 'rejected';
    if (approvals >= stage.quorum) continue;
    const { eligible } = stage;
    return eligible !== undefined && rejections > eligible - stage.quorum ? 'rejected' : 'open';
  }
  return 'approved';
}

/** The result of the current stage. The stage is over when every call has its answer; the next stage decides on the approved ones. */
export function stageResult(row: Approval): CallTally {
  const { question } = row;
  const tallies = question.kind === 'calls' ? question.calls.map(({ id }) => tallyOf(row, id)) : [tallyOf(row)];
  if (tallies.includes('open')) return 'open';
  return tallies.includes('approved') ? 'approved' : 'rejected';
}

/** The vote's answer about one call, or about the whole question without an id; undefined: none. */
export function choiceOn(vote: Vote, id: string | undefined): 'approve' | 'reject' | undefined {
  if (vote.choice === 'reject') return 'reject';
  if (vote.choice !== 'approve') return undefined;
  return vote.calls ? vote.calls.find((call) => call.id === id)?.choice : 'approve';
}
