/** What people do in Slack, as votes on approvals. Each refusal is answered privately with why (G20). */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { ACTIONS, type ActionId, type ButtonValue, readButton } from '../../shared/adapters/slack/actions.ts';
import type { CardSource } from '../../shared/adapters/slack/card-source.ts';
import {
  editModal,
  type ModalContext,
  passModal,
  rejectModal,
  respondModal,
  sessionModal,
  someModal,
  substituteModal,
} from '../../shared/adapters/slack/modals.ts';
import { refusalText } from '../../shared/adapters/slack/refusals.ts';
import { sourceOf } from '../../shared/adapters/slack/source.ts';
import type { Ballot } from '../../shared/domain/approval.ts';
import { type ButtonClick, holdsButton, placeOf, sayingOf, tell, tellRefusal } from './clicks.ts';
import { listenToCommand } from './command.ts';
import { listenToForms } from './forms.ts';
import { listenToHome } from './home.ts';
import type { Listening } from './listening.ts';
import { castAndNote } from './note.ts';
import { listenToViewAll } from './view-all.ts';

export function listen(app: App, listening: Listening): void {
  listenToViewAll(app, listening);
  listenToForms(app, listening);
  listenToHome(app, listening);
  listenToCommand(app, listening);
  const { gate } = listening;

  /** A button that says all there is to say. */
  const voting = (pattern: string | RegExp, ballotOf: (value: ButtonValue) => Ballot | undefined) =>
    app.action<ButtonClick>(pattern, async ({ ack, body, action, respond }) => {
      await ack();
      const value = readButton(action.value);
      const ballot = value && ballotOf(value);
      if (!value || !ballot || !placeOf(body)) return;
      const voted = await castAndNote(
        { ...sayingOf(body, action, value.approval, listening.appId), ballot },
        listening,
      );
      await tellRefusal(voted, respond);
    });
  voting(ACTIONS.approve, ({ digest }) => ({ choice: 'approve', questionDigest: digest, via: 'slack' }));
  voting(ACTIONS.approveCall, ({ digest, call }) =>
    call === undefined
      ? undefined
      : { choice: 'approve', questionDigest: digest, via: 'slack', calls: [{ id: call, choice: 'approve' }] },
  );
  voting(/^countersign_answer_\d+$/, ({ digest, answer }) =>
    answer === undefined ? undefined : { choice: 'respond', questionDigest: digest, via: 'slack', answer },
  );

  /** The trigger lives three seconds: a form that needs nothing of the row is opened before anything else. */
  const opening = (id: ActionId, form: (context: ModalContext) => ModalView) =>
    app.action<ButtonClick>(id, async ({ ack, body, action, client }) => {
      const context = contextOf(body, action);
      if (context) await client.views.open({ trigger_id: body.trigger_id, view: form(context) });
      await ack();
    });
  opening(ACTIONS.reject, rejectModal);
  opening(ACTIONS.rejectCall, rejectModal);
  opening(ACTIONS.pass, passModal);

  /** The others show what the row says; a question that is no longer asked is told so. */
  const showing = (id: ActionId, form: (context: ModalContext, source: CardSource) => ModalView) =>
    app.action<ButtonClick>(id, async ({ ack, body, action, client, respond }) => {
      const context = contextOf(body, action);
      const known = context && (await gate.approvals.read(context.approval));
      const isNow = known?.approval.status === 'pending' && known.approval.question.digest === context?.digest;
      if (context && known && isNow)
        await client.views.open({ trigger_id: body.trigger_id, view: form(context, sourceOf(known)) });
      await ack();
      if (context && !isNow) await tell(respond, refusalText(known ? 'stale_digest' : 'unknown_approval'));
    });
  showing(ACTIONS.respond, respondModal);
  showing(ACTIONS.edit, editModal);
  showing(ACTIONS.substitute, substituteModal);
  showing(ACTIONS.approveSome, someModal);
  showing(ACTIONS.session, (context, source) => sessionModal(context, source, gate.policy.settings.approvals.remember));
}

function contextOf(body: BlockAction<ButtonAction>, action: ButtonAction): ModalContext | undefined {
  const place = placeOf(body);
  const value = body.actions.length === 1 ? readButton(action.value) : undefined;
  return place && value && { ...value, ...place, shown: holdsButton(body.message, action.value) };
}
