/** What people are asked, as blocks: calls that would run, an action that was chosen, or a question of the agent. */
import type { ActionsBlock, KnownBlock } from '@slack/types';
import type { ActionChoiceProposal, AskedCall, Question, ToolCall } from '../../contract/index.ts';
import { callsOf, tallyOf } from '../../domain/approval.ts';
import { askedCallOf } from '../../domain/asked-call.ts';
import { ACTIONS, button } from './actions.ts';
import { line, quoted, small, words } from './blocks.ts';
import { callBlocks, fits, preformatted } from './call-blocks.ts';
import type { CardSource } from './card-source.ts';
import { shortened, visible, visibleJson } from './text.ts';

/** How much of each text is shown, and of how many calls. */
export interface Room {
  readonly calls: number;
  /** Characters of one argument. */
  readonly argument: number;
  readonly why: number;
  readonly says: number;
  readonly ending: number;
  /** Whether each call of a batch has buttons of its own. */
  readonly perCall: boolean;
}

/** In a few words, for the title. */
export function subjectOf(question: Question): string {
  switch (question.kind) {
    case 'calls': {
      const tools = [...new Set(question.calls.map(({ toolName }) => toolName))].join(', ');
      const count = question.calls.length > 1 ? `${question.calls.length} calls of ` : '';
      return `${count}${visible(tools)}`;
    }
    case 'choice':
      return visible(question.proposed.flowId);
    case 'input':
      return 'a question';
    default:
      return question satisfies never;
  }
}

/** The call of the proposal that a question asks about, as it would run. */
export const callOf = (asked: AskedCall, { proposal }: Pick<CardSource, 'proposal'>): ToolCall | undefined =>
  proposal.kind === 'tool-call' ? askedCallOf(asked, proposal) : undefined;

/** The action that the agent's policy chose. */
export const actionOf = (
  { index }: { readonly index: number },
  { proposal }: Pick<CardSource, 'proposal'>,
): ActionChoiceProposal['actionSpace']['actions'][number] | undefined =>
  proposal.kind === 'action-choice' ? proposal.actionSpace.actions[index] : undefined;

/** Whether everything that would happen has its place within `room`. */
export function isWhole(source: CardSource, room: Room): boolean {
  const { question } = source.approval;
  switch (question.kind) {
    case 'calls':
      return question.calls.length <= room.calls && question.calls.every((asked) => fits(callOf(asked, source), room));
    case 'choice': {
      const action = actionOf(question.proposed, source);
      return action !== undefined && visibleJson(action).length <= room.argument;
    }
    case 'input':
      return visible(question.question).length <= room.argument;
    default:
      return question satisfies never;
  }
}

export function askedBlocks(source: CardSource, room: Room): KnownBlock[] {
  const { question } = source.approval;
  switch (question.kind) {
    case 'calls':
      return calls(source, room);
    case 'choice': {
      const { proposed, policy, why } = question;
      const action = actionOf(proposed, source);
      const text = action ? visibleJson(action) : '';
      return [
        {
          type: 'rich_text',
          elements: [
            words([
              { type: 'text', text: visible(proposed.flowId), style: { bold: true } },
              { type: 'text', text: ` for ${visible(proposed.personaId)}, chosen by the policy ${policy}:` },
            ]),
            preformatted(shortened(text, room.argument)),
          ],
        },
        small(shortened(`Why you are asked: ${visible(why)}`, room.why)),
      ];
    }
    case 'input':
      return [quoted('The agent asks:', shortened(visible(question.question), room.argument))];
    default:
      return question satisfies never;
  }
}

function calls(source: CardSource, room: Room): KnownBlock[] {
  const asked = callsOf(source.approval.question);
  const shown = asked.slice(0, room.calls);
  return [
    ...shown.flatMap((call) => [
      ...callBlocks(call, callOf(call, source), room),
      ...(asked.length > 1 ? ofBatch(call, source, room) : []),
    ]),
    ...(asked.length > shown.length ? [line(`And ${asked.length - shown.length} more calls.`)] : []),
    ...started(source),
  ];
}

/** It comes into being with the approval: this session's approvals, rules and mode answer for it from then on. */
function started({ proposal }: CardSource): KnownBlock[] {
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  if (!starts) return [];
  const [agent, session] = [visible(starts.agentId), visible(starts.sessionId)];
  return [
    line(
      `This also starts the session ${session} of the agent ${agent}: this session then answers what that one escalates.`,
    ),
  ];
}

/** How one call of a batch stands, or its own buttons. */
function ofBatch({ id }: AskedCall, { approval }: CardSource, room: Room): KnownBlock[] {
  const said = tallyOf(approval, id);
  if (said !== 'open') return [small(said === 'approved' ? 'This call: approved' : 'This call: rejected')];
  const offered = approval.status === 'pending' && room.perCall && approval.question.offers.includes('approve');
  if (!offered) return [];
  const value = { approval: approval.pid, digest: approval.question.digest, call: id };
  const buttons: ActionsBlock = {
    type: 'actions',
    elements: [button('Approve this', ACTIONS.approveCall, value), button('Reject this…', ACTIONS.rejectCall, value)],
  };
  return [buttons];
}
