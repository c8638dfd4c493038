/** View all: everything that would run, in a modal, page by page. Reading changes nothing. */
import type { App } from '@slack/bolt';
import { ACTIONS, readButton } from '../../shared/adapters/slack/actions.ts';
import { refusalText } from '../../shared/adapters/slack/refusals.ts';
import { sourceOf } from '../../shared/adapters/slack/source.ts';
import { VIEW_ALL, viewAllModal } from '../../shared/adapters/slack/view-all.ts';
import type { VoteRefusal } from '../../shared/domain/approval.ts';
import type { ApprovalView } from '../../shared/ports/approval-store.ts';
import { count } from '../runtime/observe.ts';
import { type ButtonClick, originOf, tell } from './clicks.ts';
import type { Listening } from './listening.ts';

export function listenToViewAll(app: App, { gate, appId }: Listening): void {
  app.action<ButtonClick>(ACTIONS.viewAll, async ({ ack, body, action, client, respond }) => {
    const value = readButton(action.value);
    const known = value && (await gate.approvals.read(value.approval));
    const refusal = refusalOf(known, value?.digest, known && originOf(body, action.value, appId).isOwn(known));
    if (known && !refusal)
      await client.views.open({ trigger_id: body.trigger_id, view: viewAllModal(sourceOf(known), 0) });
    await ack();
    if (!refusal) return;
    count('ClicksRefused', 1, { reason: refusal });
    await tell(respond, refusalText(refusal));
  });

  // Only a view of this app holds its buttons, and Slack says in the signed request whose view it is.
  app.action<ButtonClick>(VIEW_ALL.turns, async ({ ack, body, action, client }) => {
    const value = readButton(action.value);
    const known = value && (await gate.approvals.read(value.approval));
    const own = body.api_app_id === appId && body.view?.app_id === appId;
    if (known && body.view && !refusalOf(known, value.digest, own)) {
      const { id: view_id, hash } = body.view;
      await client.views.update({ view_id, hash, view: viewAllModal(sourceOf(known), value.page ?? 0) });
    }
    await ack();
  });
}

function refusalOf(
  known: ApprovalView | undefined,
  digest: string | undefined,
  own: boolean | undefined,
): VoteRefusal | undefined {
  if (!known) return 'unknown_approval';
  if (!own) return 'foreign_card';
  return known.approval.question.digest === digest ? undefined : 'stale_digest';
}
