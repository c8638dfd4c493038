/** What the thread of a card is told: how it was decided, and what happened when the action ran. */
import type { KnownBlock } from '@slack/types';
import type { Approval, Decision, Vote } from '../../contract/index.ts';
import type { Ran } from '../../ports/outbox.ts';
import { escaped, shortened, slackDate, visible } from './text.ts';

export interface ThreadNote {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  /** Also shown in the channel itself. */
  readonly loud?: boolean;
}

/** Something that a thread is told once; `key` says whether it was. */
export interface News {
  readonly key: string;
  readonly note: ThreadNote;
}

/** All that can be told of the row as it is. */
export function newsOf({ approval, decision }: { approval: Approval; decision?: Decision | undefined }): News[] {
  return decision ? [{ key: 'decided', note: outcome(approval, decision) }] : [];
}

export function ranNews({ callId, permitId, status, durationMs, toolName, errorCode }: Ran): News {
  const tool = toolName ? visible(toolName) : `Call ${callId}`;
  const took = durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
  const words = {
    succeeded: `It ran: ${tool} succeeded in ${took}.`,
    failed: `It ran: ${tool} failed after ${took}${errorCode ? ` (${errorCode})` : ''}.`,
    unknown: `It may have run: what became of ${tool} is not known. Look before it is tried again.`,
  } as const;
  const text = words[status];
  const block = { type: 'section', text: { type: 'plain_text', text, emoji: false } } as const;
  return { key: `ran-${permitId}`, note: { text: escaped(text), blocks: [block] } };
}

const DONE: Readonly<Record<Decision['outcome'], string>> = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired: nobody answered in time. It was not run',
  cancelled: 'Cancelled by the agent. It was not run',
  superseded: 'Not run: the policy changed while this waited',
  answered: 'Answered',
  error: 'Not run: it could not be decided',
};

function outcome({ votes, status }: Approval, decision: Decision): ThreadNote {
  const people = votes.map((vote) => saidBy(vote)).join('\n');
  const until = decision.calls.map(({ permit }) => permit?.expiresAt).find(Boolean);
  const overruled = status === 'approved' && decision.outcome === 'denied' ? ', although people had approved it' : '';
  const head = `*${DONE[decision.outcome]}${overruled}.*`;
  const permit = until ? `\nThe agent may run it until ${slackDate(until)}, once and exactly as shown.` : '';
  return note(`${head}${people ? `\n${people}` : ''}${permit}`);
}

function saidBy({ by, choice, reason, at }: Vote): string {
  const words = reason ? `: ${escaped(shortened(visible(reason), 200)).replaceAll('\n', ' ')}` : '';
  return `<@${by.user}> ${DID[choice]} ${slackDate(at)}${words}`;
}

const DID: Readonly<Record<Vote['choice'], string>> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'edited',
  substitute: 'chose another action',
  respond: 'answered',
};

const note = (text: string): ThreadNote => ({
  text,
  blocks: [{ type: 'section', text: { type: 'mrkdwn', text: shortened(text, 3_000), verbatim: true } }],
});
