/**
 * Shows everything about an approval in a modal, page by page.
 * Reading changes nothing; what a card cannot show is approved on the last page.
 */
import type { App } from '@slack/bolt';
import { type ModalContext, noticeModal } from '../../shared/adapters/slack/cards/modals.ts';
import { refusalText } from '../../shared/adapters/slack/cards/refusals.ts';
import { VIEW_ALL, viewAllModal } from '../../shared/adapters/slack/cards/view-all.ts';
import { ACTIONS, type ButtonValue, readButton } from '../../shared/adapters/slack/elements/actions.ts';
import { sourceOf } from '../../shared/adapters/slack/posting/source.ts';
import type { VoteRefusal } from '../../shared/domain/approval/approval.ts';
import type { ApprovalView } from '../../shared/ports/stores/approval-store.ts';
import { namesShown } from '../../shared/use-cases/people/names-shown.ts';
import { count } from '../runtime/telemetry/observe.ts';
import {
  type ButtonClick,
  holdsButton,
  isPressInOwnView,
  locationOf,
  notify,
  type Opened,
  originOf,
} from './clicks.ts';
import type { ListenerDependencies } from './dependencies.ts';
import { showForm } from './show-form.ts';

export async function showAll(
  value: ButtonValue | undefined,
  { ack, body, action, client, respond }: Opened,
  { deps, appId }: ListenerDependencies,
): Promise<void> {
  const known = value && (await deps.approvals.read(value.approval));
  const refusal = refusalOf(known, value?.digest, known && originOf(body, action, appId).isOwn(known));
  if (known && value && !refusal) {
    const location = locationOf(body) ?? { channel: '', ts: '' };
    const context: ModalContext = { ...value, ...location, shown: holdsButton(body.message, action) };
    const names = await namesShown(known.approval, deps.policy.cardNames, deps.people);
    const source = sourceOf(known, names);
    const view = viewAllModal(source, 0, { metadata: JSON.stringify(context) });
    await showForm({ body, client, respond }, view);
  }
  await ack();
  if (!refusal) return;
  count('ClicksRefused', 1, { reason: refusal });
  await notify(respond, refusalText(refusal));
}

export function listenToViewAll(app: App, listening: ListenerDependencies): void {
  const { deps, appId } = listening;
  const { cardNames: names } = deps.policy;

  app.action<ButtonClick>(ACTIONS.viewAll, async ({ ack, body, action, client, respond }) =>
    showAll(readButton(action.value), { ack, body, action, client, respond }, listening),
  );

  app.action<ButtonClick>(VIEW_ALL.turns, async ({ ack, body, action, client, respond }) => {
    const value = readButton(action.value);
    const view = value && (await deps.approvals.read(value.approval));
    // Only a view of this app holds its buttons.
    const isOwn = isPressInOwnView(body, appId);
    const refusal = refusalOf(view, value?.digest, isOwn);
    if (view && !refusal && body.view) {
      const { private_metadata: metadata } = body.view;
      const context = metadata ? { metadata } : undefined;
      const source = sourceOf(view, await namesShown(view.approval, names, deps.people));
      await showForm({ body, client, respond }, viewAllModal(source, value?.page ?? 0, context));
    } else if (refusal && isOwn) await showForm({ body, client, respond }, noticeModal(refusalText(refusal)));
    await ack();
  });
}

function refusalOf(
  known: ApprovalView | undefined,
  digest: string | undefined,
  isOwn: boolean | undefined,
): VoteRefusal | undefined {
  if (!known) return 'unknown_approval';
  if (!isOwn) return 'foreign_card';
  return known.approval.question.digest === digest ? undefined : 'stale_digest';
}
