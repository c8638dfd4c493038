/** Builds the forms for answers beyond a click: reasons, edits, other actions, grants, delegations. */
import type { Block, InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import ms from 'ms';
import { DEFAULT_REJECT_REASONS } from '../../../config/readers/card-names.ts';
import { callsOf } from '../../../domain/approval/approval.ts';
import { choiceDigest } from '../../../domain/digest.ts';
import type { ButtonValue } from '../elements/actions.ts';
import { inOrder, inReadingOrder } from '../elements/arguments.ts';
import { line, small } from '../elements/blocks.ts';
import { shortened, visible, visibleJson, visibleName } from '../elements/text.ts';
import { FORMS } from '../texts/forms.ts';
import { MAX_FIELD } from './card-buttons.ts';
import { callOf, startedBlocks } from './card-question.ts';
import { type CardSource, namesOf, subjectOf } from './card-source.ts';
import { otherActions } from './other-actions.ts';

/** Names the approval of a form and the card it was opened from. Slack returns the context unchanged in a signed request. */
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
/** One of the reasons that the policy file prepared when the form was opened. */
export const PREPARED = field('prepared');
export const ANSWER = field('answer');
export const INPUT = field('input');
export const ACTION = field('action');
export const CALLS = field('calls');
export const SCOPE = field('scope');
export const PERSON = field('person');

export const MAX_REASON = 1_000;
const MAX_ABOUT = 2_900;
/** Slack takes 75 characters in an option. */
const MAX_OPTION = 75;

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;
const option = (text: string, value: string, description?: string): PlainTextOption => ({
  text: plain(shortened(text, MAX_OPTION) || ' '),
  value,
  ...(description ? { description: plain(shortened(description, MAX_OPTION)) } : {}),
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
  close: plain(FORMS.back),
  blocks,
});

const reasonField = (label: string = FORMS.why): InputBlock => ({
  ...input(
    REASON,
    label,
    { type: 'plain_text_input', action_id: REASON.action, multiline: true, max_length: MAX_REASON },
    FORMS.toldWordForWord,
  ),
  optional: true,
});

/** Prepared reasons, of which one click is enough, and free text. Neither has to be given. */
const rejectFields = (source: CardSource): InputBlock[] => {
  const reasons = source.names?.rejectReasons ?? DEFAULT_REJECT_REASONS;
  // The words themselves: another policy file may have others at the same place by the time the form is sent.
  const options = [...new Set(reasons)].map((text) => option(text, text));
  return [
    {
      ...input(PREPARED, FORMS.reasons, { type: 'radio_buttons', action_id: PREPARED.action, options }),
      optional: true,
    },
    reasonField(FORMS.ownWords),
  ];
};

/** Repeats the subject of the card in its form: a phone hides the card behind the form. Of many calls each is named, however long that gets. */
function about(text: string): KnownBlock[] {
  const pieces: string[] = [];
  for (const one of text.split('\n').map((name) => shortened(name, MAX_ABOUT))) {
    const joined = [...pieces.slice(-1), one].join('\n');
    if (pieces.length && joined.length <= MAX_ABOUT) pieces[pieces.length - 1] = joined;
    else pieces.push(one);
  }
  return pieces.map(line);
}
const nameOf = (source: CardSource, id?: string): string => {
  const names = namesOf(source);
  const at = callsOf(source.approval.question).findIndex((call) => call.id === id);
  return at >= 0 ? `${at + 1} · ${names[at]?.text ?? ''}` : names.map(({ text }) => text).join('\n');
};

/** `open`: the calls of a batch that still wait for the person: only those are rejected. */
export const rejectModal = (context: ModalContext, source: CardSource, open: readonly string[]): ModalView =>
  modal(VIEWS.reject, FORMS.reject.title, FORMS.reject.submit, context, [
    ...about(
      FORMS.reject.about(
        context.call === undefined && open.length && callsOf(source.approval.question).length > 1
          ? open.map((id) => nameOf(source, id)).join('\n')
          : nameOf(source, context.call),
      ),
    ),
    ...rejectFields(source),
  ]);

export function respondModal(context: ModalContext, source: CardSource): ModalView {
  const { question, agent } = source.approval;
  const { answer } = FORMS;
  const choices = question.kind === 'input' ? question.choices : undefined;
  const element: InputBlock['element'] = choices
    ? {
        type: 'static_select',
        action_id: ANSWER.action,
        options: choices.map((choice, index) => option(visible(choice), String(index))),
      }
    : { type: 'plain_text_input', action_id: ANSWER.action, multiline: true, max_length: MAX_FIELD };
  return modal(VIEWS.respond, answer.title, answer.submit, context, [
    ...(question.kind === 'input'
      ? [line(answer.asks(visible(agent), visible(question.question)))]
      : about(answer.instead(nameOf(source)))),
    input(ANSWER, answer.label, element, FORMS.toldWordForWord),
  ]);
}

/** A few named texts have a field each, as they are; anything else is edited as JSON. */
export function editModal(context: ModalContext, source: CardSource): ModalView {
  const { question } = source.approval;
  const { edit } = FORMS;
  const asked = question.kind === 'calls' ? question.calls[0] : undefined;
  const call = asked && callOf(asked, source);
  const named = inReadingOrder(call?.input, call && subjectOf(call.toolName, source));
  const texts = editableTexts(named);
  const fields = texts
    ? texts.map(([name, text], index) =>
        input(argumentField(index), name, {
          type: 'plain_text_input',
          action_id: argumentField(index).action,
          multiline: true,
          max_length: MAX_FIELD,
          initial_value: text,
        }),
      )
    : [
        input(INPUT, edit.json, {
          type: 'plain_text_input',
          action_id: INPUT.action,
          multiline: true,
          max_length: MAX_FIELD,
          initial_value: shortened(visibleJson(inOrder(Object.fromEntries(named))), MAX_FIELD),
        }),
      ];
  return modal(VIEWS.edit, edit.title, edit.submit, { ...context, ...(asked ? { call: asked.id } : {}) }, [
    ...about(edit.about(nameOf(source))),
    line(edit.rules),
    ...fields,
    reasonField(),
  ]);
}

const MAX_TEXTS = 4;
const FIELD_NAME = /^[A-Za-z0-9_.-]{1,40}$/;

/** The arguments as texts that a field shows as they are; undefined where a text holds what no field shows, or is no text. */
function editableTexts(named: readonly [string, unknown][]): readonly [string, string][] | undefined {
  const isPlain = (one: readonly [string, unknown]): one is [string, string] => {
    const [name, text] = one;
    return (
      FIELD_NAME.test(name) &&
      typeof text === 'string' &&
      text.trim() === text &&
      text !== '' &&
      text.length <= MAX_FIELD &&
      visible(text).replaceAll('\\\\', '\\') === text
    );
  };
  return named.length > 0 && named.length <= MAX_TEXTS && named.every(isPlain) ? named : undefined;
}

export const argumentField = (index: number): Field => field(`argument_${index}`);

/** The actions that the agent could take, by their place in its action space. Each is shown whole above the menu. */
export function substituteModal(context: ModalContext, source: CardSource): ModalView {
  const { substitute } = FORMS;
  const { shown, left } = otherActions(source);
  if (!shown.length) return notice(context, left ? substitute.left(left) : substitute.none);
  const options = shown.map(({ name, index, action }) => option(name, substituteValue(index, choiceDigest(action))));
  return modal(VIEWS.substitute, substitute.title, substitute.submit, context, [
    ...about(substitute.about(nameOf(source))),
    line(substitute.rules),
    ...shown.map(({ block }) => block),
    ...(left ? [small(substitute.left(left))] : []),
    input(ACTION, substitute.label, { type: 'static_select', action_id: ACTION.action, options }),
    reasonField(),
  ]);
}

/** Names an action, and the digest of the action as it was shown. */
const substituteValue = (index: number, digest: string): string => `${index}:${digest}`;

/** Reads the chosen action; undefined if the value is no choice of ours. */
export function readSubstitute(value: string): { readonly index: number; readonly actionDigest: string } | undefined {
  const [, index, actionDigest] = /^(\d{1,3}):([0-9a-f]{64})$/.exec(value) ?? [];
  return index === undefined || actionDigest === undefined ? undefined : { index: Number(index), actionDigest };
}

/** Slack takes ten boxes in a field. */
const MAX_BOXES = 10;
const MORE_CALLS = field('more_calls');

/** Lets a person choose among the calls of a batch that wait for their answer. Each call is shown in full length above the boxes. */
export function someModal(context: ModalContext, source: CardSource, open: readonly string[]): ModalView {
  const { each } = FORMS;
  const calls = callsOf(source.approval.question);
  const names = namesOf(source);
  const waiting = calls.flatMap((asked, index) => (open.includes(asked.id) ? [{ asked, index }] : []));
  const options = waiting.map(({ asked, index }) =>
    option(`${index + 1} · ${names[index]?.text ?? ''}`, asked.id, visibleName(asked.toolName)),
  );
  const boxes = (at: Field, label: string, some: typeof options): InputBlock[] =>
    some.length
      ? [
          {
            ...input(at, label, { type: 'checkboxes', action_id: at.action, options: some }, each.hint),
            optional: true,
          },
        ]
      : [];
  const lines = waiting.map(({ index }) => `${index + 1} · ${names[index]?.text ?? ''}`);
  return modal(VIEWS.some, each.title, each.submit, context, [
    // A box holds the beginning of a long name.
    ...(lines.some((text) => [...text].length > MAX_OPTION) ? about(lines.join('\n')) : []),
    ...boxes(CALLS, each.label, options.slice(0, MAX_BOXES)),
    ...boxes(MORE_CALLS, each.more, options.slice(MAX_BOXES)),
    reasonField(each.reason),
  ]);
}

const BOXES: readonly Field[] = [CALLS, MORE_CALLS];

/** The calls that a form listed when it was opened: what is answered is what was shown, whatever was decided since. */
export function listedCalls({ blocks }: { readonly blocks: readonly (KnownBlock | Block)[] }): string[] {
  return blocks.flatMap((block) => {
    const one = block as InputBlock;
    if (one.type !== 'input' || !BOXES.some((at) => at.block === one.block_id)) return [];
    const { element } = one;
    // Menus are of earlier releases.
    if (element.type !== 'checkboxes' && element.type !== 'multi_static_select') return [];
    return (element.options ?? []).flatMap(({ value }) => value ?? []);
  });
}

/** The fields in which calls are ticked. */
export const callFields = BOXES;

/** Words the scope of a grant for the session before it is given; `lastsMs` is the policy file's. */
export function sessionModal(context: ModalContext, source: CardSource, lastsMs: number): ModalView {
  const { agent, sessionId, question } = source.approval;
  const { session } = FORMS;
  const tools =
    question.kind === 'calls' ? [...new Set(question.calls.map(({ toolName }) => visibleName(toolName)))] : [];
  const every = session.every(tools);
  return modal(VIEWS.session, session.title, session.submit, context, [
    ...about(session.about(nameOf(source))),
    line(session.scope(visible(sessionId), visible(agent), ms(lastsMs, { long: true }))),
    // The approval answers for that session, too.
    ...startedBlocks(source),
    // An option holds the beginning of long names of tools.
    ...([...every].length > MAX_OPTION ? [line(every)] : []),
    input(SCOPE, session.label, {
      type: 'radio_buttons',
      action_id: SCOPE.action,
      options: [
        option(session.exactly, 'session', session.exactlyHint),
        option(every, 'session-all-tools', session.everyHint),
      ],
    }),
  ]);
}

export const passModal = (context: ModalContext, source: CardSource): ModalView =>
  modal(VIEWS.pass, FORMS.pass.title, FORMS.pass.submit, context, [
    ...about(FORMS.pass.about(nameOf(source))),
    line(FORMS.pass.rules),
    {
      ...input(PERSON, FORMS.pass.label, { type: 'users_select', action_id: PERSON.action }, FORMS.pass.hint),
      optional: true,
    },
  ]);

const notice = (context: ModalContext, text: string): ModalView => ({
  type: 'modal',
  private_metadata: JSON.stringify(context),
  title: plain(FORMS.substitute.title),
  close: plain(FORMS.back),
  blocks: [line(text)],
});

/** One sentence, where a form cannot be sent and has no field to say so at. */
export const noticeModal = (text: string): ModalView => ({
  type: 'modal',
  title: plain(FORMS.notCounted),
  close: plain(FORMS.back),
  blocks: [line(text)],
});
