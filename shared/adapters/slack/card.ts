/** The card of an approval, drawn from its row as it is (A22). What the agent says is text and nothing else (D33). */
import type { ActionsBlock, ContextBlock, HeaderBlock, KnownBlock, RichTextBlock, SectionBlock } from '@slack/types';
import type { Approval, Decision, ToolCallProposal } from '../../contract/index.ts';
import { callsOf } from '../../domain/approval.ts';
import { askedCallOf } from './asked-call.ts';
import { callBlocks, fits } from './call-blocks.ts';
import { escaped, shortened, slackDate, visible } from './text.ts';
import { readable } from './view-all.ts';

export const ACTIONS = {
  approve: 'countersign_approve',
  reject: 'countersign_reject',
  viewAll: 'countersign_view_all',
} as const;

/** What a button says of itself: which approval, and the digest of what was shown beside it (D23). */
export interface ButtonValue {
  readonly approval: string;
  readonly digest: string;
}

export interface CardSource {
  readonly approval: Approval;
  readonly proposal: ToolCallProposal;
  readonly decision?: Decision | undefined;
}

export interface RenderedCard {
  readonly text: string;
  readonly blocks: KnownBlock[];
  /** Whether everything that would run is on the card. */
  readonly whole: boolean;
  /** Whether it is, or can be read in full behind View all: only then is Approve offered (D33). */
  readonly approvable: boolean;
}

/** How much of what would run the card itself shows. */
type Extent = 'whole' | 'rest behind View all' | 'unreadable';

/** How much a card shows, and how much when that is more than Slack takes. Slack's limit is 3,000 characters a text object. */
const FULL = { calls: 10, argument: 2_900, why: 1_000, says: 1_500, ending: 3_000 };
const BRIEF = { calls: 10, argument: 250, why: 150, says: 200, ending: 1_000 };
const TINY = { calls: 4, argument: 60, why: 100, says: 100, ending: 500 };
/** All blocks of a message as JSON: above 13,200 characters Slack refuses it (`msg_blocks_too_long`). */
const MOST_LENGTH = 12_500;

/** Read from the top: what would run, why it is asked, what the agent says for it, who and until when. */
export function renderCard(source: CardSource): RenderedCard {
  const { approval, proposal, decision } = source;
  const title = titleOf(approval, decision);
  const text = escaped(title);
  const asked = callsOf(approval.question);
  const complete = asked.length <= FULL.calls && asked.every((call) => fits(askedCallOf(call, proposal), FULL));
  if (complete) {
    const blocks = blocksOf(source, title, 'whole', FULL);
    if (JSON.stringify(blocks).length <= MOST_LENGTH) return { text, blocks, whole: true, approvable: true };
  }
  const approvable = readable(source);
  const extent = approvable ? 'rest behind View all' : 'unreadable';
  const brief = blocksOf(source, title, extent, BRIEF);
  const blocks = JSON.stringify(brief).length <= MOST_LENGTH ? brief : blocksOf(source, title, extent, TINY);
  return { text, blocks, whole: false, approvable };
}

function blocksOf(
  { approval, proposal, decision }: CardSource,
  title: string,
  extent: Extent,
  room: typeof FULL,
): KnownBlock[] {
  const asked = callsOf(approval.question);
  return [
    header(title),
    ...asked.slice(0, room.calls).flatMap((call) => callBlocks(call, askedCallOf(call, proposal), room)),
    ...(asked.length > room.calls ? [note(`And ${asked.length - room.calls} more calls.`)] : []),
    ...notes(extent, approval.status === 'pending'),
    ...agentSays(proposal, room.says),
    facts(approval),
    ...ending(approval, decision, room.ending),
    ...(approval.status === 'pending' ? [buttons(approval, extent)] : []),
    footer(approval),
  ];
}

const STATUS_WORDS = {
  pending: 'Approval needed',
  approved: 'Approved',
  rejected: 'Rejected',
  edited: 'Edited',
  substituted: 'Substituted',
  answered: 'Answered',
  expired: 'Expired: nobody answered',
  cancelled: 'Cancelled by the agent',
} as const;

const DID = {
  approve: 'Approved',
  reject: 'Rejected',
  edit: 'Edited',
  substitute: 'Substituted',
  respond: 'Answered',
} as const;

function titleOf({ agent, status, question }: Approval, decision: Decision | undefined): string {
  const tools = [...new Set(callsOf(question).map(({ toolName }) => toolName))].join(', ');
  const overruled =
    status === 'approved' && decision && decision.outcome !== 'approved' && decision.outcome !== 'answered';
  const words = overruled ? `Approved, then ${decision.outcome}` : STATUS_WORDS[status];
  return shortened(`${words}: ${visible(tools)} for ${agent}`, 150);
}

const header = (text: string): HeaderBlock => ({ type: 'header', text: { type: 'plain_text', text, emoji: false } });

function facts({ agent, owner, expiresAt, status }: Approval): ContextBlock {
  const words = [`Agent *${escaped(agent)}*`, `owner <@${owner.user}>`];
  if (status === 'pending') words.push(`answer until *${slackDate(expiresAt)}*`);
  return { type: 'context', elements: [{ type: 'mrkdwn', text: words.join(' · ') }] };
}

/** The agent's own words, marked as such; never the basis of a decision. */
function agentSays({ title, description, reason }: ToolCallProposal, most: number): RichTextBlock[] {
  const words = [title, description, reason].filter((text) => text?.trim()).join('\n');
  if (!words) return [];
  return [
    {
      type: 'rich_text',
      elements: [
        { type: 'rich_text_section', elements: [{ type: 'text', text: 'The agent says:', style: { bold: true } }] },
        { type: 'rich_text_quote', elements: [{ type: 'text', text: shortened(visible(words), most) }] },
      ],
    },
  ];
}

function ending({ status, votes, endedAt }: Approval, decision: Decision | undefined, most: number): SectionBlock[] {
  if (status === 'pending') return [];
  const lines = votes.map((vote) => {
    const did = DID[vote.choice];
    const via = vote.via === 'operators' ? ' (operator)' : '';
    const reason = vote.reason ? `\n>${escaped(visible(vote.reason)).replaceAll('\n', '\n>')}` : '';
    return `${did} by <@${vote.by.user}>${via}, ${slackDate(vote.at)}${reason}`;
  });
  if (!votes.length && endedAt) lines.push(`${STATUS_WORDS[status]}, ${slackDate(endedAt)}`);
  if (decision && decision.reasonCode === 'policy_changed') lines.push('The policy changed while this waited: denied.');
  if (decision && decision.outcome === 'superseded') lines.push('The policy changed while this waited: not run.');
  return [
    { type: 'section', text: { type: 'mrkdwn', text: shortened(lines.join('\n') || STATUS_WORDS[status], most) } },
  ];
}

function notes(extent: Extent, pending: boolean): SectionBlock[] {
  if (extent === 'whole' || !pending) return [];
  return extent === 'unreadable'
    ? [note('This is not all that would run. It is too long for people to read, so it cannot be approved.')]
    : [note('This is not all that would run. Read the rest with View all before you approve.')];
}

function buttons({ pid, question }: Approval, extent: Extent): ActionsBlock {
  const value = JSON.stringify({ approval: pid, digest: question.digest } satisfies ButtonValue);
  const button = (text: string, action_id: string, style?: 'primary' | 'danger') =>
    ({
      type: 'button',
      text: { type: 'plain_text', text, emoji: false },
      action_id,
      value,
      ...(style ? { style } : {}),
    }) as const;
  return {
    type: 'actions',
    block_id: 'countersign_vote',
    elements: [
      ...(extent === 'unreadable' ? [] : [button('Approve', ACTIONS.approve, 'primary')]),
      button('Reject…', ACTIONS.reject, 'danger'),
      ...(extent === 'whole' ? [] : [button('View all', ACTIONS.viewAll)]),
    ],
  };
}

const note = (text: string): SectionBlock => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } });

function footer({ pid, policyVersion, requestedAt }: Approval): ContextBlock {
  const text = `Approval ${pid.slice(0, 12)} · policy ${policyVersion.slice(0, 12)} · asked ${slackDate(requestedAt)}`;
  return { type: 'context', elements: [{ type: 'mrkdwn', text }] };
}
