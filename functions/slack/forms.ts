/** Turns forms that people send into votes, or sends them back with the problem at its field. */
import type { App, ViewSubmitAction } from '@slack/bolt';
import { MAX_FIELD } from '../../shared/adapters/slack/cards/card-buttons.ts';
import {
  ACTION,
  ANSWER,
  argumentField,
  CALLS,
  callFields,
  type Field,
  INPUT,
  listedCalls,
  MAX_REASON,
  type ModalContext,
  noticeModal,
  PERSON,
  PREPARED,
  REASON,
  readSubstitute,
  SCOPE,
  VIEWS,
} from '../../shared/adapters/slack/cards/modals.ts';
import { refusalText } from '../../shared/adapters/slack/cards/refusals.ts';
import { VIEW_ALL } from '../../shared/adapters/slack/cards/view-all.ts';
import { withoutEscapes } from '../../shared/adapters/slack/elements/text.ts';
import { FORMS } from '../../shared/adapters/slack/texts/forms.ts';
import type { Ballot } from '../../shared/domain/approval/approval.ts';
import { type ClickContext, edit, passOn, type VoteResult } from '../../shared/use-cases/approvals/voting/cast-vote.ts';
import { accountOf } from '../../shared/use-cases/people/seats.ts';
import { castAndNote, note } from './cast-and-note.ts';
import { counted, personOf, readContext, submissionOf } from './clicks.ts';
import type { ListenerDependencies } from './dependencies.ts';

/** The problem of a form with its field, or the result of the vote. */
type Sent =
  | VoteResult
  | {
      readonly kind: 'wrong';
      readonly field: Field;
      readonly text: string;
      readonly refused?: Extract<VoteResult, { kind: 'refused' }>;
    };

interface Form {
  readonly body: ViewSubmitAction;
  readonly click: ClickContext;
  readonly context: ModalContext;
  /** The text that is filled in at a field. */
  read(field: Field): string;
  /** The words of the option that is chosen at a field. */
  readWords(field: Field): string;
  readMany(field: Field): string[];
}

/** Reads one form and votes as it says. */
type Answering = (form: Form, listening: ListenerDependencies) => Promise<Sent>;

/** Each form, with the field at which a refusal of its vote is shown while the form stays open. */
const SUBMISSIONS: readonly (readonly [callbackId: string, at: Field, answer: Answering])[] = [
  [VIEWS.reject, REASON, reject],
  [VIEWS.some, CALLS, approveSome],
  [VIEW_ALL.approve, REASON, approveLong],
  [VIEWS.session, SCOPE, approveForSession],
  [VIEWS.respond, ANSWER, respond],
  [VIEWS.edit, INPUT, editCall],
  [VIEWS.substitute, ACTION, substitute],
  [VIEWS.pass, PERSON, pass],
];

export function listenToForms(app: App, listening: ListenerDependencies): void {
  for (const [callbackId, at, answer] of SUBMISSIONS)
    app.view<ViewSubmitAction>(callbackId, async ({ ack, body, view }) => {
      const sent = await answer(formOf(body, listening.appId), listening);
      if (sent.kind === 'counted') return ack();
      if (sent.kind === 'refused') counted(sent);
      if (sent.kind === 'wrong' && sent.refused) counted(sent.refused);
      const error = sent.kind === 'wrong' ? sent : { field: at, text: problemText(sent) };
      // A page without a field cannot show a problem at one.
      const hasField = view.callback_id !== VIEW_ALL.approve;
      await ack(
        hasField
          ? { response_action: 'errors', errors: { [error.field.block]: error.text } }
          : { response_action: 'update', view: noticeModal(error.text) },
      );
    });
}

function formOf(body: ViewSubmitAction, appId: string): Form {
  const { view } = body;
  const context = readContext(view.private_metadata);
  const read = (field: Field) => view.state.values[field.block]?.[field.action];
  return {
    body,
    context,
    click: submissionOf(body, context, appId),
    read: (field) => {
      const found = read(field);
      return (found?.value ?? found?.selected_option?.value ?? found?.selected_user ?? '').trim();
    },
    readWords: (field) => withoutEscapes(read(field)?.selected_option?.text.text ?? ''),
    readMany: (field) => read(field)?.selected_options?.map(({ value }) => value) ?? [],
  };
}

const cast = (click: ClickContext, ballot: Ballot, listening: ListenerDependencies) =>
  castAndNote({ ...click, ballot }, listening);

async function reject({ click, context, read, readWords }: Form, listening: ListenerDependencies): Promise<Sent> {
  const prepared = read(PREPARED);
  // A form of an earlier release states the position of a reason, but the list of reasons may have changed since.
  const reason = [/^\d$/.test(prepared) ? readWords(PREPARED) : prepared, read(REASON)].filter(Boolean).join(': ');
  const wrong = wrongReason(reason);
  if (wrong) return wrong;
  const base = { questionDigest: context.digest, via: 'slack' } as const;
  const why = reason ? { reason } : {};
  if (context.call === undefined) return cast(click, { ...base, choice: 'reject', ...why }, listening);
  const calls = [{ id: context.call, choice: 'reject', ...why } as const];
  return cast(click, { ...base, choice: 'approve', calls }, listening);
}

async function approveSome(
  { body, click, context, read, readMany }: Form,
  listening: ListenerDependencies,
): Promise<Sent> {
  const reason = read(REASON);
  const chosen = callFields.flatMap(readMany);
  const wrong = wrongReason(reason);
  if (wrong) return wrong;
  const calls = listedCalls(body.view).map((id) =>
    chosen.includes(id)
      ? ({ id, choice: 'approve' } as const)
      : ({ id, choice: 'reject', ...(reason ? { reason } : {}) } as const),
  );
  return cast(click, { choice: 'approve', questionDigest: context.digest, via: 'slack', calls }, listening);
}

/** The last page of a text that is too long for its card: only a person who reached it can send it. */
async function approveLong({ click, context }: Form, listening: ListenerDependencies): Promise<Sent> {
  return cast(click, { choice: 'approve', questionDigest: context.digest, via: 'slack' }, listening);
}

async function approveForSession({ click, context, read }: Form, listening: ListenerDependencies): Promise<Sent> {
  const remember = read(SCOPE);
  if (remember !== 'session' && remember !== 'session-all-tools')
    return { kind: 'wrong', field: SCOPE, text: FORMS.session.wrong };
  return cast(click, { choice: 'approve', questionDigest: context.digest, via: 'slack', remember }, listening);
}

async function respond({ click, context, read }: Form, listening: ListenerDependencies): Promise<Sent> {
  const known = await listening.deps.approvals.read(context.approval);
  const { question } = known?.approval ?? {};
  const choices = question?.kind === 'input' ? question.choices : undefined;
  const entered = read(ANSWER);
  const answer = choices ? (choices[Number(entered || Number.NaN)] ?? '') : entered;
  if (!answer || answer.length > MAX_FIELD) return { kind: 'wrong', field: ANSWER, text: FORMS.answer.wrong };
  return cast(click, { choice: 'respond', questionDigest: context.digest, via: 'slack', answer }, listening);
}

async function editCall({ body, click, context, read }: Form, listening: ListenerDependencies): Promise<Sent> {
  const reason = read(REASON);
  const wrong = wrongReason(reason);
  if (wrong) return wrong;
  const { digest: questionDigest, call: callId = '' } = context;
  const named = argumentsIn(body.view.blocks);
  const input = named.length ? Object.fromEntries(named.map(({ name, field }) => [name, read(field)])) : read(INPUT);
  const voted = await edit({ ...click, questionDigest, via: 'slack', callId, input, reason }, listening.deps);
  await note(click, 'edit', voted, listening);
  if (voted.kind !== 'refused') return voted;
  // A problem that the tool's schema finds in an argument is shown at the argument's own field.
  const fields = Object.keys(voted.fields ?? {});
  const at = named.find(({ name }) => fields.includes(`/${name}`))?.field ?? named[0]?.field;
  return at ? { kind: 'wrong', field: at, text: problemText(voted), refused: voted } : voted;
}

async function substitute({ click, context, read }: Form, listening: ListenerDependencies): Promise<Sent> {
  const reason = read(REASON);
  const wrong = wrongReason(reason);
  if (wrong) return wrong;
  const chosen = readSubstitute(read(ACTION));
  if (!chosen) return { kind: 'wrong', field: ACTION, text: refusalText('unknown_action') };
  const base = { questionDigest: context.digest, via: 'slack', ...(reason ? { reason } : {}) } as const;
  return cast(click, { ...base, choice: 'substitute', ...chosen }, listening);
}

async function pass({ click, context, body, read }: Form, { deps }: ListenerDependencies): Promise<Sent> {
  const user = read(PERSON);
  const { team } = personOf(body).person;
  const to = user ? { to: await accountOf({ team, user }, deps) } : {};
  return passOn({ ...click, questionDigest: context.digest, via: 'slack', ...to }, deps);
}

function wrongReason(reason: string): Sent | undefined {
  if (reason.length <= MAX_REASON) return undefined;
  return { kind: 'wrong', field: REASON, text: FORMS.tooLong(MAX_REASON) };
}

/** The fields of single arguments that a form showed, by the names on their labels. */
function argumentsIn(blocks: readonly unknown[] = []): { readonly name: string; readonly field: Field }[] {
  return blocks.flatMap((block, _, all) => {
    const { block_id: id, label } = block as {
      readonly block_id?: string;
      readonly label?: { readonly text?: string };
    };
    const field = all.map((_, index) => argumentField(index)).find((one) => one.block === id);
    return field && label?.text !== undefined ? [{ name: label.text, field }] : [];
  });
}

/** The problems that the tool's schema finds in an edit, by argument. */
function problemText({ refusal, approval, fields = {} }: Extract<VoteResult, { kind: 'refused' }>): string {
  const problems = Object.entries(fields).map(([path, text]) => {
    const name = path.replace(/^\//, '').replaceAll('/', '.');
    return FORMS.edit.problem(name || FORMS.edit.all, text);
  });
  return problems.length ? problems.join('; ').slice(0, 1_000) : refusalText(refusal, approval);
}
