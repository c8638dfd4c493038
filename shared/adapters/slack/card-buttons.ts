/** What can be answered on a card: what the question offers, and Approve only if everything can be read. */
import type { ActionsBlock, Button, KnownBlock } from '@slack/types';
import type { Approval, HumanChoice, Question } from '../../contract/index.ts';
import { ACTIONS, type ButtonValue, button } from './actions.ts';
import { callOf } from './card-question.ts';
import type { CardSource, Extent } from './card-source.ts';
import { visible, visibleJson } from './text.ts';

/** Slack takes 75 characters on a button, and as much as this in a field. */
const BUTTON_MOST = 75;
export const FIELD_MOST = 3_000;
/** More answers than these are chosen in the modal. */
const MAX_ANSWERS = 5;

export function buttonsOf(source: CardSource, extent: Extent): KnownBlock[] {
  const { approval } = source;
  const { question, pid } = approval;
  const value: ButtonValue = { approval: pid, digest: question.digest };
  const buttons = [
    ...question.offers.flatMap((choice) => offered(choice, value, source, extent)).toSorted(byOrder),
    button('Not me: pass on…', ACTIONS.pass, value),
    ...(extent === 'whole' ? [] : [button('View all', ACTIONS.viewAll, value)]),
  ];
  const actions: ActionsBlock = { type: 'actions', block_id: 'countersign_vote', elements: buttons };
  return [actions];
}

/** Approve first, Reject last, whatever order the question offers them in. */
const ORDER: readonly string[] = Object.values(ACTIONS);
const byOrder = (a: Button, b: Button): number => ORDER.indexOf(a.action_id ?? '') - ORDER.indexOf(b.action_id ?? '');

function offered(choice: HumanChoice, value: ButtonValue, source: CardSource, extent: Extent): Button[] {
  const { question } = source.approval;
  switch (choice) {
    case 'approve':
      return extent === 'unreadable' || extent === 'redacted' ? [] : approving(value, source.approval);
    case 'edit':
      return editable(source) ? [button('Edit…', ACTIONS.edit, value)] : [];
    case 'substitute':
      return question.kind === 'choice' ? [button('Substitute…', ACTIONS.substitute, value)] : [];
    case 'respond':
      return question.kind === 'input' ? answers(question, value) : [button('Respond…', ACTIONS.respond, value)];
    case 'reject':
      return [button(isBatch(question) ? 'Reject all…' : 'Reject…', ACTIONS.reject, value, { style: 'danger' })];
    default:
      return choice satisfies never;
  }
}

function approving(value: ButtonValue, approval: Approval): Button[] {
  const { question } = approval;
  return [
    button(isBatch(question) ? 'Approve all' : 'Approve', ACTIONS.approve, value, { style: 'primary' }),
    ...(isBatch(question) ? [button('Approve some…', ACTIONS.approveSome, value)] : []),
    ...(rememberable(approval) ? [button('Approve for this session…', ACTIONS.session, value)] : []),
  ];
}

/** An answer that fits a button is one; the others are chosen, or written, in a modal. */
function answers({ choices }: Extract<Question, { kind: 'input' }>, value: ButtonValue): Button[] {
  const onButtons =
    choices !== undefined &&
    choices.length <= MAX_ANSWERS &&
    choices.every((choice) => choice.trim() && visible(choice).length <= BUTTON_MOST);
  if (!onButtons) return [button('Answer…', ACTIONS.respond, value)];
  return choices.map((answer, index) => button(visible(answer), `${ACTIONS.answer}_${index}`, { ...value, answer }));
}

const isBatch = (question: Question): boolean => question.kind === 'calls' && question.calls.length > 1;

/**
 * Only where it would be of use: an ask rule always asks, and two people's word is not one person's to remember.
 */
export const rememberable = ({ question }: Approval): boolean =>
  question.kind === 'calls' &&
  question.calls.every(({ rule }) => rule === undefined) &&
  question.stages.length === 1 &&
  question.stages[0]?.quorum === 1;

/** One call whose arguments fit a field, and are shown as they are: an edit of what holds marks is refused. */
export function editable(source: CardSource): boolean {
  const { question } = source.approval;
  const [asked, ...others] = question.kind === 'calls' ? question.calls : [];
  const call = asked && callOf(asked, source);
  if (call === undefined || others.length || source.sealed) return false;
  return visibleJson(call.input).length <= FIELD_MOST;
}
