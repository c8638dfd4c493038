/** The card of an approval, drawn from its row as it is (A22). What the agent says is text and nothing else (D33). */
import type { ActionsBlock, ContextBlock, HeaderBlock, KnownBlock, RichTextBlock, SectionBlock } from '@slack/types';
import type { Approval, AskedCall, Decision, ToolCall, ToolCallProposal } from '../../contract/index.ts';
import { callBlocks, fits } from './call-blocks.ts';
import { escaped, shortened, slackDate, visible } from './text.ts';

export const ACTIONS = { approve: 'countersign_approve', reject: 'countersign_reject' } as const;

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
  /** Whether everything that would run is on the card; if not, Approve is not offered (D33). */
  readonly whole: boolean;
}

/** How much a card shows, and how much when that is more than Slack takes. Slack's limit is 3,000 characters a text object. */
const FULL = { argument: 2_900, why: 1_000, says: 1_500, ending: 3_000 };
const BRIEF = { argument: 250, why: 150, says: 200, ending: 1_000 };
const MOST_CALLS = 10;
/** All blocks of a message as JSON: above 13,200 characters Slack refuses it (`msg_blocks_too_long`). */
const MOST_LENGTH = 12_500;

/** Read from the top: what would run, why it is asked, what the agent says for it, who and until when. */
export function renderCard(source: CardSource): RenderedCard {
  const { approval, proposal, decision } = source;
  const title = titleOf(approval, decision);
  const text = escaped(title);
  const complete =
    approval.question.calls.length <= MOST_CALLS &&
    approval.question.calls.every((asked) => fits(callOf(asked, proposal), FULL));
  const blocks = blocksOf(source, title, complete, FULL);
  if (JSON.stringify(blocks).length <= MOST_LENGTH) return { text, blocks, whole: complete };
  return { text, blocks: blocksOf(source, title, false, BRIEF), whole: false };
}

function blocksOf(
  { approval, proposal, decision }: CardSource,
  title: string,
  whole: boolean,
  room: typeof FULL,
): KnownBlock[] {
  const asked = approval.question.calls;
  return [
    header(title),
    ...asked.slice(0, MOST_CALLS).flatMap((call) => callBlocks(call, callOf(call, proposal), room)),
    ...(asked.length > MOST_CALLS ? [note(`And ${asked.length - MOST_CALLS} more calls.`)] : []),
    ...(whole
      ? []
      : [note('This is not all that would run: it is too long to be shown here, so it cannot be approved here.')]),
    ...agentSays(proposal, room.says),
    facts(approval),
    ...ending(approval, decision, room.ending),
    ...(approval.status === 'pending' ? [buttons(approval, whole)] : []),
    footer(approval),
  ];
}

const callOf = ({ id }: AskedCall, proposal: ToolCallProposal): ToolCall | undefined =>
  proposal.calls.find((call) => call.id === id);

const STATUS_WORDS = {
  pending: 'Approval needed',
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired: nobody answered',
  cancelled: 'Cancelled by the agent',
} as const;

function titleOf({ agent, status, question }: Approval, decision: Decision | undefined): string {
  const tools = [...new Set(question.calls.map(({ toolName }) => toolName))].join(', ');
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
    const did = vote.choice === 'approve' ? 'Approved' : 'Rejected';
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

function buttons({ pid, question }: Approval, whole: boolean): ActionsBlock {
  const value = JSON.stringify({ approval: pid, digest: question.digest } satisfies ButtonValue);
  const button = (text: string, action_id: string, style: 'primary' | 'danger') =>
    ({ type: 'button', text: { type: 'plain_text', text, emoji: false }, action_id, value, style }) as const;
  return {
    type: 'actions',
    block_id: 'countersign_vote',
    elements: [
      ...(whole ? [button('Approve', ACTIONS.approve, 'primary')] : []),
      button('Reject…', ACTIONS.reject, 'danger'),
    ],
  };
}

const note = (text: string): SectionBlock => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } });

function footer({ pid, policyVersion, requestedAt }: Approval): ContextBlock {
  const text = `Approval ${pid.slice(0, 12)} · policy ${policyVersion.slice(0, 12)} · asked ${slackDate(requestedAt)}`;
  return { type: 'context', elements: [{ type: 'mrkdwn', text }] };
}
