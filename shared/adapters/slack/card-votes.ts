/** Who said what so far, where a wait stands, and how it ended. What people wrote is text and nothing else. */
import type { KnownBlock, RichTextBlock, RichTextBlockElement } from '@slack/types';
import type { Approval, ApprovalStatus, CallVote, Decision, Vote } from '../../contract/index.ts';
import { callsOf, currentStage, tallyOf } from '../../domain/approval.ts';
import { dateOf, line, smallMarkup, words } from './blocks.ts';
import { escaped, shortened, slackDate, visible } from './text.ts';

export const STATUS_WORDS: Readonly<Record<ApprovalStatus, string>> = {
  pending: 'Approval needed',
  approved: 'Approved',
  rejected: 'Rejected',
  edited: 'Edited',
  substituted: 'Substituted',
  answered: 'Answered',
  expired: 'Expired: nobody answered',
  cancelled: 'Cancelled by the agent',
};

const DID: Readonly<Record<Vote['choice'], string>> = {
  approve: 'Approved',
  reject: 'Rejected',
  edit: 'Edited',
  substitute: 'Substituted',
  respond: 'Answered',
};

/** Of many votes the newest are shown. */
const MAX_VOTES = 6;

/** While it waits: how many have approved, which stage it is in, who passed it on. */
export function standing(approval: Approval, most: number): KnownBlock[] {
  const { question, votes, stage = 0, escalated, passed = [], reminders = 0, editors = [] } = approval;
  const { group, quorum, escalateTo, by } = currentStage(approval);
  const calls = callsOf(question);
  const open = calls.filter(({ id }) => tallyOf(approval, id) === 'open').length;
  const approvals = votes.filter((vote) => vote.stage === stage && vote.choice === 'approve' && !vote.calls).length;
  const lines = [
    ...(quorum > 1 ? [`*${approvals} of ${quorum} approved*`] : []),
    ...(calls.length > 1 && open < calls.length ? [`*${calls.length - open} of ${calls.length} calls decided*`] : []),
    ...(question.stages.length > 1 ? [`stage ${stage + 1} of ${question.stages.length}`] : []),
    ...(by === 'requester' ? ['to be confirmed by whoever asked for it'] : []),
    ...(escalated && escalateTo
      ? [`escalated to *${escaped(escalateTo.group)}*: ${escaped(group)} did not answer in time`]
      : []),
    ...editors.slice(-1).map(({ user }) => `edited by <@${user}>`),
    ...(reminders ? [`reminded ${reminders} ${reminders === 1 ? 'time' : 'times'}`] : []),
    ...passed.slice(-MAX_VOTES).map(({ by: who, to }) => `<@${who.user}> passed it on${to ? ` to <@${to.user}>` : ''}`),
  ];
  return [...(lines.length ? [smallMarkup(lines.join(' · '))] : []), ...votesBlocks(votes, most)];
}

export function endingBlocks(
  { status, votes, endedAt }: Approval,
  decision: Decision | undefined,
  most: number,
): KnownBlock[] {
  const ended = votes.length || !endedAt ? [] : [smallMarkup(`${STATUS_WORDS[status]}, ${slackDate(endedAt)}`)];
  const why = decision && overruledBecause(status, decision, most / 3);
  const later = [
    ...(decision?.reasonCode === 'policy_changed' ? [line('The policy changed while this waited: denied.')] : []),
    ...(decision?.outcome === 'superseded' ? [line('The policy changed while this waited: not run.')] : []),
    ...(why ? [line(why)] : []),
  ];
  return [...votesBlocks(votes, most), ...ended, ...later];
}

/** Why something did not run that people had approved or changed, as the agent hears it: a rule's or a hook's words among it. */
export function overruledBecause(
  status: ApprovalStatus,
  { outcome, message }: Pick<Decision, 'outcome' | 'message'>,
  most: number,
): string | undefined {
  const went = status === 'approved' || status === 'edited' || status === 'substituted';
  const isRefused = outcome === 'denied' || outcome === 'error';
  return went && isRefused ? shortened(visible(message), Math.max(40, Math.floor(most))) : undefined;
}

/** Each vote with who cast it, when, and what they wrote; `most` characters of that in all. */
export function votesBlocks(votes: readonly Vote[], most: number): RichTextBlock[] {
  const shown = votes.slice(-MAX_VOTES);
  const each = Math.floor(most / MAX_VOTES);
  const more = votes.length - shown.length;
  const elements = [
    ...(more ? [words([{ type: 'text', text: `${more} votes before these` }])] : []),
    ...shown.flatMap((vote) => voteElements(vote, each)),
  ];
  return elements.length ? [{ type: 'rich_text', elements }] : [];
}

function voteElements(vote: Vote, most: number): RichTextBlockElement[] {
  const { by, standsFor, choice, via, at } = vote;
  const calls = choice === 'approve' && vote.calls ? ` ${countOf(vote.calls)}` : '';
  const remember = choice === 'approve' && vote.remember ? ' for the session' : '';
  const did = { type: 'text', text: `${didWith(vote)}${calls}${remember} by ` } as const;
  const line = words([
    did,
    { type: 'user', user_id: by.user },
    ...(standsFor
      ? [{ type: 'text', text: ' for ' } as const, { type: 'user', user_id: standsFor.user } as const]
      : []),
    { type: 'text', text: via === 'operators' ? ' (operator), ' : ', ' },
    dateOf(at),
  ]);
  const wrote = [
    vote.reason,
    ...(choice === 'respond' ? [vote.answer] : []),
    ...(choice === 'approve' ? (vote.calls ?? []).map(({ reason }) => reason) : []),
  ].filter((text): text is string => !!text?.trim());
  if (!wrote.length) return [line];
  const text = shortened(visible(wrote.join('\n')), Math.max(40, most));
  return [line, { type: 'rich_text_quote', elements: [{ type: 'text', text }] }];
}

/** Of votes on single calls: how many, and how many of those were approved. */
function countOf(calls: readonly CallVote[]): string {
  const approved = calls.filter(({ choice }) => choice === 'approve').length;
  if (calls.length === 1) return 'one call';
  return approved > 0 && approved < calls.length ? `${approved} of ${calls.length} calls` : `${calls.length} calls`;
}

/** A vote on single calls may approve none of them. */
const didWith = (vote: Vote): string =>
  vote.choice === 'approve' && vote.calls?.every(({ choice }) => choice === 'reject') ? DID.reject : DID[vote.choice];
