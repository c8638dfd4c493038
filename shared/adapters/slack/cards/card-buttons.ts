/** Draws a card's two buttons and its menu. Approve needs everything to be readable on the card. */
import type { ActionsBlock, Button, ConfirmationDialog, KnownBlock, Overflow } from '@slack/types';
import type { Approval, AskedCall, Question } from '../../../contract/index.ts';
import { approvalsSoFar, callsOf, currentStage, tallyOf } from '../../../domain/approval/approval.ts';
import { isHighSeverity, SEVERITIES } from '../../../domain/severity.ts';
import { ACTIONS, type ActionId, type ButtonValue, blockIdOf, button } from '../elements/actions.ts';
import { shortened, visible, visibleJson } from '../elements/text.ts';
import { CARD, listed } from '../texts/card.ts';
import { callOf } from './card-question.ts';
import { type CardSource, type Extent, namesOf } from './card-source.ts';

/** Slack takes 75 characters on a button, and as much as this in a field. */
const MAX_BUTTON = 75;
export const MAX_FIELD = 3_000;
const MAX_CONFIRM = 300;
/** More answers than these are chosen in the modal. */
const MAX_ANSWERS = 5;

export function buttonsOf(source: CardSource, extent: Extent): KnownBlock[] {
  const { question, pid } = source.approval;
  const value: ButtonValue = { approval: pid, digest: question.digest };
  const elements = [...deciding(source, extent, value), ...menu(source, extent)];
  const actions: ActionsBlock = { type: 'actions', block_id: blockIdOf(value), elements };
  return [actions];
}

function deciding(source: CardSource, extent: Extent, value: ButtonValue): Button[] {
  const { approval } = source;
  const { question } = approval;
  const { buttons } = CARD;
  const about = (text: string) => CARD.label(text.replace('…', ''), namesLine(source), visible(approval.agent));
  const open = callsOf(question).filter(({ id }) => tallyOf(approval, id) === 'open').length;
  const total = callsOf(question).length;
  const make = (text: string, id: ActionId, style?: 'primary' | 'danger', confirm?: ConfirmationDialog) =>
    button(text, id, value, { style, label: about(text), confirm });
  const reject = rejectButton(source, value);
  if (question.kind === 'input') return [...answers(question, value, about), reject];
  const mayApprove = question.offers.includes('approve');
  if (extent === 'rest behind View all' && mayApprove)
    return [make(buttons.readAll, ACTIONS.viewAll, 'primary'), reject];
  if (extent !== 'whole' || !mayApprove) return [reject];
  const approveText =
    total > 1 ? (open < total ? buttons.approveRest(open) : buttons.approveAll(total)) : buttons.approve;
  const approve = make(approveText, ACTIONS.approve, 'primary', confirmOf(source));
  return [approve, ...(total > 1 ? [each(make)] : []), reject];
}

export function rejectButton(source: CardSource, value: ButtonValue): Button {
  const { approval } = source;
  const { buttons } = CARD;
  const calls = callsOf(approval.question);
  const open = calls.filter(({ id }) => tallyOf(approval, id) === 'open').length;
  const isPart = open < calls.length;
  const text =
    calls.length > 1 ? (isPart ? buttons.rejectRest(open) : buttons.rejectAll(calls.length)) : buttons.reject;
  const label = CARD.label(text.replace('…', ''), namesLine(source), visible(approval.agent));
  return button(text, ACTIONS.reject, value, { style: 'danger', label });
}

const each = (make: (text: string, id: ActionId) => Button): Button =>
  make(CARD.buttons.decideEach, ACTIONS.approveSome);

/** All in one line. The calls of a batch have their numbers: a comma within a name would begin what looks like another call. */
export const namesLine = (source: CardSource): string => numberedNames(source).join(', ');

/** As they are numbered on the card. */
export function numberedNames(source: CardSource): string[] {
  const names = namesOf(source);
  return names.map(({ text }, index) => (names.length > 1 ? `${index + 1} · ${text}` : text));
}

const MAX_CALL_LINE = 80;

/** The calls of a batch by their numbers, those alone that are `open` where a yes is about them. Where not all find room the severest come first, then those of the tool that is called least. */
export function callLines(source: CardSource, most: number, open?: 'open'): string {
  const { approval } = source;
  const calls = callsOf(approval.question);
  if (calls.length < 2) return shortened(namesLine(source), most);
  const lines = numberedNames(source);
  const isAbout = ({ id }: AskedCall) => open === undefined || tallyOf(approval, id) === 'open';
  const all = lines.filter((_, index) => calls[index] && isAbout(calls[index])).join('\n');
  if ([...all].length <= most) return all;
  const times = (tool: string | undefined) => calls.filter(({ toolName }) => toolName === tool).length;
  const order = calls
    .flatMap((call, index) => (isAbout(call) ? [{ ...call, index }] : []))
    .map(({ severity, toolName, index }) => ({ index, weight: SEVERITIES.indexOf(severity), times: times(toolName) }))
    .toSorted((a, b) => b.weight - a.weight || a.times - b.times || a.index - b.index);
  let shown = '';
  for (const [at, { index }] of order.entries()) {
    const left = order.length - at - 1;
    const more = left ? `\n${CARD.andMoreCalls(left)}` : '';
    // One call is named, however little room there is.
    const room = at ? MAX_CALL_LINE : Math.min(MAX_CALL_LINE, most - more.length);
    const next = `${shown}${at ? '\n' : ''}${shortened(lines[index] ?? '', room)}`;
    if ([...next, ...more].length > most) return `${shown}\n${CARD.andMoreCalls(order.length - at)}`.trim();
    shown = next;
  }
  return shown;
}

/** Where a wrong yes is expensive it takes a second look, at the call's own words and at who else has to agree. */
export function confirmOf(source: CardSource): ConfirmationDialog | undefined {
  const { approval } = source;
  const { severity, stages } = approval.question;
  const isBatch = callsOf(approval.question).length > 1;
  if (!isHighSeverity(severity) && !isBatch) return undefined;
  const agree = agreeText(
    approval,
    stages.slice((approval.stage ?? 0) + 1).map(({ group }) => group),
  );
  const room = MAX_CONFIRM - agree.length - 2;
  const text = isBatch ? callLines(source, room, 'open') : shortened(namesLine(source), room);
  const plain = (words: string) => ({ type: 'plain_text', text: words, emoji: false }) as const;
  return {
    title: plain(CARD.confirm.title(severity)),
    text: plain(CARD.confirm.text(text, agree)),
    confirm: plain(CARD.confirm.yes),
    deny: plain(CARD.confirm.no),
    ...(isHighSeverity(severity) ? { style: 'danger' } : {}),
  };
}

function agreeText(approval: Approval, later: readonly string[]): string {
  const { quorum } = currentStage(approval);
  const others = Math.max(0, quorum - approvalsSoFar(approval).length - 1);
  const here = others ? CARD.confirm.others(others) : later.length ? '' : CARD.confirm.nobodyElse;
  const then = later.length ? CARD.confirm.afterwards(listed(later)) : '';
  return shortened([here, then].filter(Boolean).join(' '), 120);
}

/** An answer that fits a button is one; the others are chosen, or written, in a modal. */
function answers(
  { choices }: Extract<Question, { kind: 'input' }>,
  value: ButtonValue,
  about: (text: string) => string,
): Button[] {
  const onButtons =
    choices !== undefined &&
    choices.length <= MAX_ANSWERS &&
    choices.every((choice) => choice.trim() && visible(choice).length <= MAX_BUTTON);
  const { answer: write } = CARD.buttons;
  if (!onButtons) return [button(write, ACTIONS.respond, value, { style: 'primary', label: about(write) })];
  return choices.map((answer, index) =>
    button(visible(answer), `${ACTIONS.answer}_${index}`, { ...value, answer }, { label: about(visible(answer)) }),
  );
}

/** Behind a card or a list: all but the form that it stands in. */
export const menuInForm = (source: CardSource): Overflow[] => menu(source, 'whole', true);

/** Everything that is seldom done. The block above it says which approval it is about. Slack refuses a menu without an option. */
function menu(source: CardSource, extent: Extent, isInForm = false): Overflow[] {
  const { approval } = source;
  const { question } = approval;
  const { buttons } = CARD;
  const isRest = extent === 'rest behind View all' && question.offers.includes('approve') && question.kind !== 'input';
  const rows: readonly (readonly [boolean, string, ActionId])[] = [
    [question.offers.includes('edit') && editable(source), buttons.edit, ACTIONS.edit],
    [question.kind === 'choice' && question.offers.includes('substitute'), buttons.substitute, ACTIONS.substitute],
    [question.kind !== 'input' && question.offers.includes('respond'), buttons.respond, ACTIONS.respond],
    [
      extent === 'whole' && question.offers.includes('approve') && rememberable(approval),
      buttons.session,
      ACTIONS.session,
    ],
    [currentStage(approval).by !== 'requester', buttons.pass, ACTIONS.pass],
    [!isRest && !isInForm, buttons.show, ACTIONS.viewAll],
  ];
  const options = rows.flatMap(([isOffered, text, value]) =>
    isOffered ? [{ text: { type: 'plain_text' as const, text, emoji: false }, value }] : [],
  );
  return options.length ? [{ type: 'overflow', action_id: ACTIONS.more, options }] : [];
}

/** Behind a decided card: the call, the votes and what came of it. */
export function showButton({ approval }: CardSource): ActionsBlock {
  const value: ButtonValue = { approval: approval.pid, digest: approval.question.digest };
  const { show } = CARD.buttons;
  return {
    type: 'actions',
    block_id: blockIdOf(value),
    elements: [button(show, ACTIONS.viewAll, value, { label: show })],
  };
}

/**
 * Whether an approval for later would have an effect. A call that an ask rule asks about is always asked again. Where two people have to approve,
 * one of them cannot decide for both. Of a batch, everybody who approved calls so far has to have chosen it.
 */
const rememberable = ({ question, votes }: Approval): boolean =>
  question.kind === 'calls' &&
  votes.every((vote) => vote.choice !== 'approve' || vote.remember !== undefined) &&
  question.calls.every(({ rule }) => rule === undefined) &&
  question.stages.length === 1 &&
  question.stages[0]?.quorum === 1;

/** One call whose arguments fit a field, and are shown as they are: an edit of what holds marks is refused. */
function editable(source: CardSource): boolean {
  const { question } = source.approval;
  const [asked, ...others] = question.kind === 'calls' ? question.calls : [];
  const call = asked && callOf(asked, source);
  if (call === undefined || others.length || source.sealed) return false;
  return visibleJson(call.input).length <= MAX_FIELD;
}
