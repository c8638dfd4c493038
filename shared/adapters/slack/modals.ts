/** The forms in which people say more than a click: why not, what instead, for how long, who else. Errors are shown at their fields. */
import type { Block, InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import ms from 'ms';
import type { Person } from '../../contract/index.ts';
import { callsOf, openTo } from '../../domain/approval.ts';
import { choiceDigest } from '../../domain/digest.ts';
import type { ButtonValue } from './actions.ts';
import { line, small } from './blocks.ts';
import { FIELD_MOST } from './card-buttons.ts';
import { callOf } from './card-question.ts';
import type { CardSource } from './card-source.ts';
import { shortened, visible, visibleJson } from './text.ts';

/** Which approval a form is about and the card it was opened from. Slack returns it unchanged in a signed request. */
export interface ModalContext extends ButtonValue {
  readonly channel: string;
  readonly ts: string;
  /** Whether that message showed the button of this approval when it was clicked. */
  readonly shown: boolean;
}

export const VIEWS = {
  reject: 'countersign_reject_view',
  respond: 'countersign_respond_view',
  edit: 'countersign_edit_view',
  substitute: 'countersign_substitute_view',
  some: 'countersign_some_view',
  session: 'countersign_session_view',
  pass: 'countersign_pass_view',
} as const;

/** A field: its block, where errors are shown, and its element. */
export interface Field {
  readonly block: string;
  readonly action: string;
}
const field = (name: string): Field => ({ block: `countersign_${name}`, action: `countersign_${name}_text` });
export const REASON = field('reason');
export const ANSWER = field('answer');
export const INPUT = field('input');
export const ACTION = field('action');
export const CALLS = field('calls');
export const SCOPE = field('scope');
export const PERSON = field('person');

export const REASON_MOST = 1_000;
/** Slack takes 75 characters in an option, and 100 options in a menu. */
const OPTION_MOST = 75;
const MENU_MOST = 100;

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;
const option = (text: string, value: string, description?: string): PlainTextOption => ({
  text: plain(shortened(text, OPTION_MOST) || ' '),
  value,
  ...(description ? { description: plain(shortened(description, OPTION_MOST)) } : {}),
});

const input = ({ block }: Field, label: string, element: InputBlock['element'], hint?: string): InputBlock => ({
  type: 'input',
  block_id: block,
  label: plain(label),
  ...(hint ? { hint: plain(hint) } : {}),
  element,
});

const modal = (
  callback_id: string,
  title: string,
  submit: string,
  context: ModalContext,
  blocks: KnownBlock[],
): ModalView => ({
  type: 'modal',
  callback_id,
  private_metadata: JSON.stringify(context),
  title: plain(title),
  submit: plain(submit),
  close: plain('Back'),
  blocks,
});

const reasonField = (hint: string, optional = false): InputBlock => ({
  ...input(
    REASON,
    'Why?',
    { type: 'plain_text_input', action_id: REASON.action, multiline: true, max_length: REASON_MOST },
    hint,
  ),
  ...(optional ? { optional } : {}),
});

export const rejectModal = (context: ModalContext): ModalView =>
  modal(VIEWS.reject, context.call === undefined ? 'Reject this' : 'Reject one call', 'Reject', context, [
    reasonField('The agent is told this, word for word.'),
  ]);

export function respondModal(context: ModalContext, source: CardSource): ModalView {
  const { question } = source.approval;
  const choices = question.kind === 'input' ? question.choices : undefined;
  const said = question.kind === 'input' ? [line(`The agent asks: ${visible(question.question)}`)] : [];
  const element: InputBlock['element'] = choices
    ? {
        type: 'static_select',
        action_id: ANSWER.action,
        options: choices.map((choice, index) => option(visible(choice), String(index))),
      }
    : { type: 'plain_text_input', action_id: ANSWER.action, multiline: true, max_length: FIELD_MOST };
  return modal(VIEWS.respond, 'Answer the agent', 'Answer', context, [
    ...said,
    ...(question.kind === 'input' ? [] : [line('The call is not run. The agent is told what you write instead.')]),
    input(ANSWER, 'Your answer', element, 'The agent is told this, word for word.'),
  ]);
}

export function editModal(context: ModalContext, source: CardSource): ModalView {
  const { question } = source.approval;
  const asked = question.kind === 'calls' ? question.calls[0] : undefined;
  const call = asked && callOf(asked, source);
  return modal(VIEWS.edit, 'Edit the arguments', 'Run it so', { ...context, ...(asked ? { call: asked.id } : {}) }, [
    line(
      `${visible(asked?.toolName ?? '')} would run with these arguments instead. All rules are asked again: a deny wins.`,
    ),
    input(INPUT, 'Arguments, as JSON', {
      type: 'plain_text_input',
      action_id: INPUT.action,
      multiline: true,
      max_length: FIELD_MOST,
      initial_value: shortened(visibleJson(call?.input ?? {}), FIELD_MOST),
    }),
    reasonField('The agent is told this, word for word.', true),
  ]);
}

/** The actions that the agent could take, by their place in its action space. */
export function substituteModal(context: ModalContext, source: CardSource): ModalView {
  const { proposal, approval } = source;
  const actions = proposal.kind === 'action-choice' ? proposal.actionSpace.actions : [];
  const proposed = approval.question.kind === 'choice' ? approval.question.proposed.index : undefined;
  const options = actions.flatMap((action, index) => {
    const { flow_id, persona_id, description } = action;
    const said = visible(description ?? persona_id);
    return index === proposed ? [] : [option(visible(flow_id), substituteValue(index, choiceDigest(action)), said)];
  });
  const shown = options.slice(0, MENU_MOST);
  if (!shown.length) return notice(context, 'There is no other action that could run instead.');
  const rest =
    options.length > shown.length ? [small(`${options.length - shown.length} more actions do not fit here.`)] : [];
  return modal(VIEWS.substitute, 'Substitute', 'Run this instead', context, [
    line('This action runs instead of the one that was proposed, unless a rule denies it.'),
    input(ACTION, 'Action', { type: 'static_select', action_id: ACTION.action, options: shown }),
    ...rest,
    reasonField('The agent is told this, word for word.', true),
  ]);
}

/** Which action and exactly what it was when it was shown. */
const substituteValue = (index: number, digest: string): string => `${index}:${digest}`;

/** What was chosen; undefined if it is no choice of ours. */
export function readSubstitute(value: string): { readonly index: number; readonly actionDigest: string } | undefined {
  const [, index, actionDigest] = /^(\d{1,3}):([0-9a-f]{64})$/.exec(value) ?? [];
  return index === undefined || actionDigest === undefined ? undefined : { index: Number(index), actionDigest };
}

/** Which calls of a batch, by their ids; those that wait for an answer of this person. */
export function someModal(context: ModalContext, source: CardSource, person: Person): ModalView {
  const ids = openTo(source.approval, person);
  const open = callsOf(source.approval.question).filter(({ id }) => ids.includes(id));
  const options = open.map((asked) => {
    const call = callOf(asked, source);
    return option(
      `${asked.id}: ${visible(asked.toolName)}`,
      asked.id,
      visibleJson(call?.input ?? {}).replaceAll('\n', ' '),
    );
  });
  return modal(VIEWS.some, 'Approve some calls', 'Decide all', context, [
    input(
      CALLS,
      'Calls that may run',
      { type: 'multi_static_select', action_id: CALLS.action, options },
      'All others are rejected with the reason below.',
    ),
    reasonField('Why the others may not run; the agent is told this.'),
  ]);
}

/** The calls that a form listed when it was opened: what is answered is what was shown, whatever was decided since. */
export function listedCalls({ blocks }: { readonly blocks: readonly (KnownBlock | Block)[] }): string[] {
  const field = blocks.find((block): block is InputBlock => block.type === 'input' && block.block_id === CALLS.block);
  if (field?.element.type !== 'multi_static_select') return [];
  return (field.element.options ?? []).flatMap(({ value }) => value ?? []);
}

/** The scope is said in words before it is given; `lastsMs` is the policy file's. */
export function sessionModal(context: ModalContext, source: CardSource, lastsMs: number): ModalView {
  const { agent, sessionId, question } = source.approval;
  const tools = question.kind === 'calls' ? [...new Set(question.calls.map(({ toolName }) => visible(toolName)))] : [];
  const until = ms(lastsMs, { long: true });
  return modal(VIEWS.session, 'Approve for session', 'Approve', context, [
    line(`For the session ${sessionId} of ${agent}, at most ${until} from now. A rule that denies or asks still wins.`),
    input(SCOPE, 'What is approved', {
      type: 'radio_buttons',
      action_id: SCOPE.action,
      options: [
        option('Exactly this, whenever it is asked again', 'session', 'Same tool, same arguments, same folder'),
        option(`Every call of ${tools.join(', ')}`, 'session-all-tools', 'Whatever its arguments are'),
      ],
    }),
  ]);
}

export const passModal = (context: ModalContext): ModalView =>
  modal(VIEWS.pass, 'Not me: pass on', 'Pass on', context, [
    line('You are no longer asked. Whoever you choose may answer in your place, for this one only.'),
    {
      ...input(PERSON, 'To whom?', { type: 'users_select', action_id: PERSON.action }),
      optional: true,
    },
  ]);

const notice = (context: ModalContext, text: string): ModalView => ({
  type: 'modal',
  private_metadata: JSON.stringify(context),
  title: plain('Substitute'),
  close: plain('Back'),
  blocks: [line(text)],
});
