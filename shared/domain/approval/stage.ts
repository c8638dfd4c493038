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

/** The group whose waiting places an approval takes, whatever is asked of whom later. */
export const countedUnder = (row: Approval): string => row.countedUnder ?? row.question.stages[0]?.group ?? '';

/** When the current stage began, in milliseconds. */
export const sinceOf = ({ stageSince, requestedAt }: Approval): number => Date.parse(stageSince ?? requestedAt);

/** From when on no vote counts: the end of the wait, or of a stage that escalates to nobody any more. */
export function deadlineOf(row: Approval): number {
  const end = Date.parse(row.expiresAt);
  const { timeoutMs, escalateTo } = currentStage(row);
  if (timeoutMs === undefined || (escalateTo && !row.escalated)) return end;
  return Math.min(end, sinceOf(row) + timeoutMs);
}

/** Tells what time does to a question that nobody answers: when, in milliseconds, and what happens then. */
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

/**
 * Whether one of the channels where cards are is `channel` of a stage: a card for one person is posted to the person's id and lives in their
 * conversation with the app (`D…`).
 */
export const isShownIn = (channel: string, shown: readonly string[]): boolean =>
  shown.includes(channel) || (!/^[CG]/.test(channel) && shown.some((one) => one.startsWith('D')));

/** Channels where the question is asked now: of the current stage, and of those to whom it escalated. */
export function askedChannelsOf(row: Approval): string[] {
  const { channel, escalateTo } = currentStage(row);
  return [...new Set([channel, ...(row.escalated && escalateTo ? [escalateTo.channel] : [])])];
}

/** Whether somebody is asked there now: a stage or an earlier round that has ended leaves its card where nobody can answer any more. */
export const isAskedIn = (row: Approval, at: string) => askedChannelsOf(row).some((one) => isShownIn(one, [at]));

/** Whether somebody is asked now and has no card of it. An identical call that waits asks for its followers. */
export const lacksCard = (
  row: Approval,
  cards: readonly { readonly channel: string; readonly gone?: true | undefined }[],
): boolean => {
  const shown = cards.filter(({ gone }) => !gone).map(({ channel }) => channel);
  return row.follows === undefined && askedChannelsOf(row).some((channel) => !isShownIn(channel, shown));
};

/** Of each who approves all that is still open in the current stage, at once or call by call, the first vote there. */
export function approvalsSoFar(row: Approval): Vote[] {
  const open = callsOf(row.question).filter(({ id }) => tallyOf(row, id) === 'open');
  const here = row.votes.filter((vote) => vote.stage === (row.stage ?? 0) && vote.choice === 'approve');
  return here.filter(({ by }, index) => {
    const theirs = here.filter((vote) => samePerson(vote.by, by));
    const isFirst = theirs[0] === here[index];
    return isFirst && open.every(({ id }) => theirs.some((vote) => choiceOn(vote, id) === 'approve'));
  });
}

/** How many people still have to approve in the current stage: for the call that lacks most. */
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

export type CallTally = 'approved' | 'rejected' | 'open';

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

/** The result of the current stage: over when every call of the question has its answer; the next stage goes on with the approved ones. */
export function reached(row: Approval): CallTally {
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
