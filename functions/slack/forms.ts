/** Forms that people send: each becomes a vote, or is sent back with what is wrong at the field. */
import type { App, ViewSubmitAction } from '@slack/bolt';
import { readButton } from '../../shared/adapters/slack/actions.ts';
import {
  ACTION,
  ANSWER,
  CALLS,
  type Field,
  INPUT,
  listedCalls,
  type ModalContext,
  PERSON,
  REASON,
  REASON_MOST,
  readSubstitute,
  SCOPE,
  VIEWS,
} from '../../shared/adapters/slack/modals.ts';
import { refusalText } from '../../shared/adapters/slack/refusals.ts';
import type { Ballot } from '../../shared/domain/approval.ts';
import { type ClickContext, edit, passOn, type VoteResult } from '../../shared/use-cases/approvals/cast-vote.ts';
import { counted, personOf, submissionOf } from './clicks.ts';
import type { Listening } from './listening.ts';
import { castAndNote, note } from './note.ts';

/** What is wrong with a form, by its field; or what came of the vote. */
type Sent = VoteResult | { readonly kind: 'wrong'; readonly field: Field; readonly text: string };

interface Form {
  readonly body: ViewSubmitAction;
  readonly saying: ClickContext;
  readonly context: ModalContext;
  /** What is filled in at a field. */
  read(field: Field): string;
  readMany(field: Field): string[];
}

const NO_REASON = 'Say why, so that the agent can do better.';

export function listenToForms(app: App, listening: Listening): void {
  const { gate, appId } = listening;
  /** A refusal of the vote is shown at `at`: the form stays open. */
  const form = (callbackId: string, at: Field, send: (form: Form) => Promise<Sent>) =>
    app.view<ViewSubmitAction>(callbackId, async ({ ack, body, view }) => {
      const context = readContext(view.private_metadata);
      const read = (field: Field) => view.state.values[field.block]?.[field.action];
      const sent = await send({
        body,
        context,
        saying: submissionOf(body, context, appId),
        read: (field) => {
          const found = read(field);
          return (found?.value ?? found?.selected_option?.value ?? found?.selected_user ?? '').trim();
        },
        readMany: (field) => read(field)?.selected_options?.map(({ value }) => value) ?? [],
      });
      if (sent.kind === 'counted') return ack();
      if (sent.kind === 'refused') counted(sent);
      const error = sent.kind === 'wrong' ? sent : { field: at, text: problemText(sent) };
      await ack({ response_action: 'errors', errors: { [error.field.block]: error.text } });
    });
  const cast = (saying: ClickContext, ballot: Ballot) => castAndNote({ ...saying, ballot }, listening);

  form(VIEWS.reject, REASON, async ({ saying, context, read }) => {
    const reason = read(REASON);
    const wrong = wrongReason(reason, true);
    if (wrong) return wrong;
    const said = { questionDigest: context.digest, via: 'slack' } as const;
    if (context.call === undefined) return cast(saying, { ...said, choice: 'reject', reason });
    return cast(saying, { ...said, choice: 'approve', calls: [{ id: context.call, choice: 'reject', reason }] });
  });

  form(VIEWS.some, CALLS, async ({ body, saying, context, read, readMany }) => {
    const reason = read(REASON);
    const chosen = readMany(CALLS);
    const all = listedCalls(body.view);
    const wrong = wrongReason(
      reason,
      all.some((id) => !chosen.includes(id)),
    );
    if (wrong) return wrong;
    const calls = all.map((id) =>
      chosen.includes(id) ? ({ id, choice: 'approve' } as const) : ({ id, choice: 'reject', reason } as const),
    );
    return cast(saying, { choice: 'approve', questionDigest: context.digest, via: 'slack', calls });
  });

  form(VIEWS.session, SCOPE, async ({ saying, context, read }) => {
    const remember = read(SCOPE);
    if (remember !== 'session' && remember !== 'session-all-tools')
      return { kind: 'wrong', field: SCOPE, text: 'Choose what is approved.' };
    return cast(saying, { choice: 'approve', questionDigest: context.digest, via: 'slack', remember });
  });

  form(VIEWS.respond, ANSWER, async ({ saying, context, read }) => {
    const known = await gate.approvals.read(context.approval);
    const { question } = known?.approval ?? {};
    const choices = question?.kind === 'input' ? question.choices : undefined;
    const said = read(ANSWER);
    const answer = choices ? (choices[Number(said || Number.NaN)] ?? '') : said;
    if (!answer || answer.length > 3_000)
      return { kind: 'wrong', field: ANSWER, text: 'Answer in at most 3,000 characters.' };
    return cast(saying, { choice: 'respond', questionDigest: context.digest, via: 'slack', answer });
  });

  form(VIEWS.edit, INPUT, async ({ saying, context, read }) => {
    const reason = read(REASON);
    const wrong = wrongReason(reason, false);
    if (wrong) return wrong;
    const { digest: questionDigest, call: callId = '' } = context;
    const voted = await edit({ ...saying, questionDigest, via: 'slack', callId, input: read(INPUT), reason }, gate);
    await note(saying, 'edit', voted, listening);
    return voted;
  });

  form(VIEWS.substitute, ACTION, async ({ saying, context, read }) => {
    const reason = read(REASON);
    const wrong = wrongReason(reason, false);
    if (wrong) return wrong;
    const chosen = readSubstitute(read(ACTION));
    if (!chosen) return { kind: 'wrong', field: ACTION, text: refusalText('unknown_action') };
    const said = { questionDigest: context.digest, via: 'slack', ...(reason ? { reason } : {}) } as const;
    return cast(saying, { ...said, choice: 'substitute', ...chosen });
  });

  form(VIEWS.pass, PERSON, async ({ saying, context, body, read }) => {
    const user = read(PERSON);
    const { team } = personOf(body).person;
    return passOn(
      { ...saying, questionDigest: context.digest, via: 'slack', ...(user ? { to: { team, user } } : {}) },
      gate,
    );
  });
}

/** The metadata of a form. One with other metadata is about no approval: it is refused and recorded like any other. */
function readContext(text: string): ModalContext {
  const about = readButton(text);
  if (!about) return { approval: '', digest: '', channel: '', ts: '', shown: false };
  const { channel, ts, shown } = JSON.parse(text) as Partial<Record<string, unknown>>;
  return { ...about, channel: textOf(channel), ts: textOf(ts), shown: shown === true };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function wrongReason(reason: string, required: boolean): Sent | undefined {
  if (required && !reason) return { kind: 'wrong', field: REASON, text: NO_REASON };
  if (reason.length <= REASON_MOST) return undefined;
  return { kind: 'wrong', field: REASON, text: `Say it in at most ${REASON_MOST} characters.` };
}

/** Of an edit that the tool's schema refuses, what is wrong with which argument. */
function problemText({ refusal, fields = {} }: Extract<VoteResult, { kind: 'refused' }>): string {
  const problems = Object.entries(fields).map(([path, text]) => `${path || 'The arguments'} ${text}`);
  return problems.length ? problems.join('; ').slice(0, 1_000) : refusalText(refusal);
}
