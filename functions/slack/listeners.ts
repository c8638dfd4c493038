/** What people do in Slack, as votes on approvals. Each refusal is answered privately with why (G20). */
import type { App, ViewSubmitAction } from '@slack/bolt';
import { ACTIONS } from '../../shared/adapters/slack/card.ts';
import { refusalText } from '../../shared/adapters/slack/refusals.ts';
import { REASON, REJECT_VIEW, type RejectContext, rejectModal } from '../../shared/adapters/slack/reject-modal.ts';
import { sha256Hex } from '../../shared/domain/digest.ts';
import { type Click, type VotingGate, vote } from '../../shared/pipeline/vote.ts';
import { count } from '../runtime/observe.ts';
import { type ButtonClick, buttonValue, holdsButton, isCardOf, originOf, personOf, placeOf, tell } from './clicks.ts';
import { listenToViewAll } from './view-all.ts';

export interface Listening {
  readonly gate: VotingGate;
  /** Requests signed for another app that shares the secret are refused (G19). */
  readonly appId: string;
}

export function listen(app: App, listening: Listening): void {
  const { gate, appId } = listening;
  listenToViewAll(app, listening);

  app.action<ButtonClick>(ACTIONS.approve, async ({ ack, body, action, respond }) => {
    await ack();
    const value = buttonValue(action.value);
    if (!placeOf(body) || !value) return;
    const click: Click = {
      ...personOf(body),
      pid: value.approval,
      ballot: { choice: 'approve', questionDigest: value.digest, via: 'slack' },
      requestId: sha256Hex(`${body.trigger_id}#${body.user.id}`).slice(0, 32),
      from: originOf(body, action.value, appId),
    };
    const voted = await vote(click, gate);
    if (voted.kind === 'refused') await tell(respond, refusalText(voted.refusal), voted.refusal);
  });

  app.action<ButtonClick>(ACTIONS.reject, async ({ ack, body, action, client }) => {
    // The trigger lives three seconds: the modal is opened before anything else.
    const place = placeOf(body);
    const value = buttonValue(action.value);
    if (place && value) {
      const { approval, digest } = value;
      const context: RejectContext = { approval, digest, ...place, shown: holdsButton(body.message, action.value) };
      await client.views.open({ trigger_id: body.trigger_id, view: rejectModal(context) });
    }
    await ack();
  });

  app.view<ViewSubmitAction>(REJECT_VIEW, async ({ ack, body, view }) => {
    const context = JSON.parse(view.private_metadata) as RejectContext;
    const reason = view.state.values[REASON.block]?.[REASON.action]?.value?.trim() ?? '';
    if (!reason)
      return ack({
        response_action: 'errors',
        errors: { [REASON.block]: 'Say why, so that the agent can do better.' },
      });
    const { channel, ts } = context;
    const click: Click = {
      ...personOf(body),
      pid: context.approval,
      ballot: { choice: 'reject', reason, questionDigest: context.digest, via: 'slack' },
      requestId: sha256Hex(`${body.view.id}#${body.view.hash}`).slice(0, 32),
      from: {
        card: { channel, ts },
        isOwn: (known) => isCardOf(known, context, body.view.app_id === appId, context.shown),
      },
    };
    const voted = await vote(click, gate);
    if (voted.kind === 'counted') return ack();
    count('ClicksRefused', 1, { reason: voted.refusal });
    await ack({ response_action: 'errors', errors: { [REASON.block]: refusalText(voted.refusal) } });
  });
}
