/** What the thread of a card is told: how it was decided, and what happened when the action ran. */
import type { KnownBlock } from '@slack/types';
import type { Approval, Decision } from '../../contract/index.ts';
import { callsOf, channelsOf, currentStage } from '../../domain/approval.ts';
import type { Ran } from '../../ports/outbox.ts';
import { dateOf, line, markup, small, smallMarkup, words } from './blocks.ts';
import { preformatted } from './call-blocks.ts';
import { overruledBecause, votesBlocks } from './card-votes.ts';
import { escaped, shortened, slackDate, visible, visibleJson } from './text.ts';

export interface ThreadNote {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  /** Channels where it is also shown in the channel itself. */
  readonly loudIn?: readonly string[];
}

/** Something that a thread is told once; `key` says whether it was. */
export interface News {
  readonly key: string;
  readonly note: ThreadNote;
}

/** All that can be told of the row as it is. */
export function newsOf({ approval, decision }: { approval: Approval; decision?: Decision | undefined }): News[] {
  if (decision) return [{ key: 'decided', note: outcome(approval, decision) }];
  return approval.status === 'pending' ? waits(approval) : [];
}

function waits(approval: Approval): News[] {
  const { round, stage = 0, escalated, reminders = 0 } = approval;
  const place = `${round}-${stage}-${escalated ? 'escalated' : 'asked'}`;
  return [
    ...(escalated ? [{ key: place, note: escalation(approval) }] : []),
    ...(reminders ? [{ key: `${place}-reminder-${reminders}`, note: reminder(approval) }] : []),
  ];
}

/** Those asked first see it beside their card; those asked now get a card of their own, which says it. */
function escalation(approval: Approval): ThreadNote {
  const { group, channel, escalateTo } = currentStage(approval);
  const text = `${group} did not answer in time: ${escalateTo?.group} is asked as well. Anybody of either group may answer.`;
  return { text: escaped(text), blocks: [line(text)], loudIn: [channel, ...(escalateTo ? [escalateTo.channel] : [])] };
}

/** Said in the thread and, with a link to the card, in the channels of those who are asked now: not to a stage that has answered. */
function reminder(approval: Approval): ThreadNote {
  const { question, agent, escalated, expiresAt } = approval;
  const { group, escalateTo } = currentStage(approval);
  const asked = escalated && escalateTo ? [group, escalateTo.group] : [group];
  const tools = [...new Set(callsOf(question).map(({ toolName }) => visible(toolName)))].join(', ');
  const what = `${shortened(tools, 200) || 'a question'} of agent ${agent}`;
  const text = `Reminder for ${asked.join(' and ')}: ${what} still waits for an answer`;
  const until = words([{ type: 'text', text: `${text}, until ` }, dateOf(expiresAt), { type: 'text', text: '.' }]);
  return {
    text: escaped(`${text}.`),
    blocks: [{ type: 'rich_text', elements: [until] }],
    loudIn: channelsOf(approval).slice(0, asked.length),
  };
}

export function ranNews({ callId, permitId, status, durationMs, toolName, errorCode }: Ran): News {
  const tool = toolName ? visible(toolName) : `Call ${callId}`;
  const took = durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
  const words = {
    succeeded: `It ran: ${tool} succeeded in ${took}.`,
    failed: `It ran: ${tool} failed after ${took}${errorCode ? ` (${visible(errorCode)})` : ''}.`,
    unknown: `It may have run: what became of ${tool} is not known. Look before it is tried again.`,
  } as const;
  const text = words[status];
  return { key: `ran-${permitId}`, note: { text: escaped(text), blocks: [line(text)] } };
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
  const until = decision.calls.map(({ permit }) => permit?.expiresAt).find(Boolean);
  const overruled = status === 'approved' && decision.outcome === 'denied' ? ', although people had approved it' : '';
  const why = overruledBecause(status, decision, 400);
  const head = `${DONE[decision.outcome]}${overruled}.`;
  const edited = decision.calls.flatMap((call) => (isPrinted(call) ? [] : (call.effective ?? [])));
  return {
    text: head,
    blocks: [
      markup(`*${head}*`),
      ...(why ? [line(why)] : []),
      ...votesBlocks(votes, 1_200),
      ...edited.flatMap(({ input }) => [small('It was edited to:'), ...effectiveBlocks(input)]),
      ...(until ? [smallMarkup(`The agent may run it until ${slackDate(until)}, once and exactly so.`)] : []),
    ],
  };
}

/** Nobody edited a call that a rule allows: the gate prints its command. */
const isPrinted = ({ outcome, decidedBy }: Decision['calls'][number]): boolean =>
  outcome === 'approved' && (decidedBy.type === 'rule' || decidedBy.type === 'system');

/** Up to what a note may hold; the card's View all and the record have the rest. */
function effectiveBlocks(input: unknown): KnownBlock[] {
  return [{ type: 'rich_text', elements: [preformatted(shortened(visibleJson(input), 1_500))] }];
}
