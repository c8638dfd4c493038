/** The card of an approval, drawn from its row as it is (A22). What the agent says is text and nothing else (D33). */
import type { ActionsBlock, ContextBlock, HeaderBlock, KnownBlock, RichTextBlock, SectionBlock } from '@slack/types';
import type { Approval, AskedCall, Decision, ToolCallProposal } from '../../contract/index.ts';
import { escaped, shortened, slackDate, visible, visibleJson } from './text.ts';

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

/** Slack's limit is 3,000 characters a text object; a call longer than this is not approved from a card. */
const MOST_CHARACTERS = 2_900;
const MOST_CALLS = 10;

export function renderCard(source: CardSource): RenderedCard {
  const { approval, proposal, decision } = source;
  const asked = approval.question.calls.map((call) => ({ call, shown: shownCall(call, proposal) }));
  const whole = asked.length <= MOST_CALLS && asked.every(({ shown }) => shown.length <= MOST_CHARACTERS);
  const title = titleOf(approval, decision);
  const blocks: KnownBlock[] = [
    header(title),
    facts(approval),
    ...agentSays(proposal),
    ...asked.slice(0, MOST_CALLS).flatMap(({ call, shown }) => callBlocks(call, shown)),
    ...(whole ? [] : [note('The arguments are too long to be shown here in full, so they cannot be approved here.')]),
    ...ending(approval, decision),
    ...(approval.status === 'pending' ? [buttons(approval, whole)] : []),
    footer(approval),
  ];
  return { text: escaped(`${title} · ${approval.agent}`), blocks, whole };
}

const STATUS_WORDS = {
  pending: 'Approval needed',
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired: nobody answered',
  cancelled: 'Cancelled by the agent',
} as const;

function titleOf({ status, question }: Approval, decision: Decision | undefined): string {
  const tools = [...new Set(question.calls.map(({ toolName }) => toolName))].join(', ');
  const overruled =
    status === 'approved' && decision && decision.outcome !== 'approved' && decision.outcome !== 'answered';
  const words = overruled ? `Approved, then ${decision.outcome}` : STATUS_WORDS[status];
  return shortened(`${words}: ${visible(tools)}`, 150);
}

const header = (text: string): HeaderBlock => ({ type: 'header', text: { type: 'plain_text', text, emoji: false } });

function facts({ agent, owner, expiresAt, status }: Approval): SectionBlock {
  const fields = [`*Agent*\n${escaped(agent)}`, `*Owner*\n<@${owner.user}>`];
  if (status === 'pending') fields.push(`*Until*\n${slackDate(expiresAt)}`);
  return { type: 'section', fields: fields.map((text) => ({ type: 'mrkdwn', text })) };
}

/** The agent's own words, marked as such; never the basis of a decision. */
function agentSays({ title, description, reason }: ToolCallProposal): RichTextBlock[] {
  const words = [title, description, reason].filter((text) => text?.trim()).join('\n');
  if (!words) return [];
  return [
    {
      type: 'rich_text',
      elements: [
        { type: 'rich_text_section', elements: [{ type: 'text', text: 'The agent says:', style: { bold: true } }] },
        { type: 'rich_text_quote', elements: [{ type: 'text', text: shortened(visible(words), 1_500) }] },
      ],
    },
  ];
}

function shownCall({ id }: AskedCall, proposal: ToolCallProposal): string {
  const call = proposal.calls.find((candidate) => candidate.id === id);
  if (!call) return '';
  return visibleJson(call.cwd === undefined ? { input: call.input } : { cwd: call.cwd, input: call.input });
}

function callBlocks(call: AskedCall, shown: string): KnownBlock[] {
  return [
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'text', text: visible(call.toolName), style: { bold: true } },
            { type: 'text', text: ' would run with exactly this:' },
          ],
        },
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: shortened(shown, MOST_CHARACTERS) }] },
      ],
    },
    {
      type: 'context',
      elements: [{ type: 'plain_text', text: shortened(`Why: ${visible(call.why)}`, 1_000), emoji: false }],
    },
  ];
}

function ending({ status, votes, endedAt }: Approval, decision: Decision | undefined): SectionBlock[] {
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
    { type: 'section', text: { type: 'mrkdwn', text: shortened(lines.join('\n') || STATUS_WORDS[status], 3_000) } },
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
