/** What people do in Slack, as votes on approvals. Each refusal is answered privately with why (G20). */
import type { App, BlockAction, ButtonAction, RespondFn, ViewSubmitAction } from '@slack/bolt';
import { ACTIONS, type ButtonValue } from '../../shared/adapters/slack/card.ts';
import { refusalText } from '../../shared/adapters/slack/refusals.ts';
import { REASON, REJECT_VIEW, type RejectContext, rejectModal } from '../../shared/adapters/slack/reject-modal.ts';
import { sha256Hex } from '../../shared/domain/digest.ts';
import { type Click, type Voted, type VotingGate, vote } from '../../shared/pipeline/vote.ts';
import type { ApprovalView } from '../../shared/ports/approval-store.ts';
import { count } from '../runtime/observe.ts';

interface Listening {
  readonly gate: VotingGate;
  /** Requests signed for another app that shares the secret are refused (G19). */
  readonly appId: string;
}

export function listen(app: App, { gate, appId }: Listening): void {
  app.action<BlockAction<ButtonAction>>(ACTIONS.approve, async ({ ack, body, action, respond }) => {
    await ack();
    const value = buttonValue(action.value);
    if (!placeOf(body) || !value) return;
    const voted = await vote(approvalClick(body, action, value, appId), gate);
    await tell(voted, respond);
  });

  app.action<BlockAction<ButtonAction>>(ACTIONS.reject, async ({ ack, body, action, client }) => {
    // The trigger lives three seconds: the modal is opened before anything else.
    const place = placeOf(body);
    const value = buttonValue(action.value);
    if (place && value) {
      const context: RejectContext = { ...value, ...place, shown: holdsButton(body.message, action.value) };
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
    const click: Click = {
      ...personOf(body),
      pid: context.approval,
      ballot: { choice: 'reject', reason, questionDigest: context.digest, via: 'slack' },
      requestId: sha256Hex(`${body.view.id}#${body.view.hash}`).slice(0, 32),
      from: {
        card: cardOf(context),
        isOwn: (known) => isCardOf(known, context, body.view.app_id === appId, context.shown),
      },
    };
    const voted = await vote(click, gate);
    if (voted.kind === 'counted') return ack();
    count('ClicksRefused', 1, { reason: voted.refusal });
    await ack({ response_action: 'errors', errors: { [REASON.block]: refusalText(voted.refusal) } });
  });
}

interface Place {
  readonly channel: string;
  readonly ts: string;
}

function placeOf({ channel, message, container }: BlockAction): Place | undefined {
  const ts = message?.ts ?? (container['message_ts'] as string | undefined);
  return channel && ts ? { channel: channel.id, ts } : undefined;
}

function buttonValue(text: string | undefined): ButtonValue | undefined {
  try {
    const { approval, digest } = JSON.parse(text ?? '') as Partial<ButtonValue>;
    return typeof approval === 'string' && typeof digest === 'string' ? { approval, digest } : undefined;
  } catch {
    return undefined;
  }
}

/** Who the signed request says clicked; display names are shown, never compared (AU-017). */
function personOf({ user, team }: Signed): Pick<Click, 'person' | 'name' | 'isBot'> {
  const home = user.team_id ?? team?.id ?? '';
  return {
    person: { team: home, user: user.id },
    name: user.name ?? user.username ?? user.id,
    isBot: user.id === 'USLACKBOT',
  };
}

interface Signed {
  readonly user: { readonly id: string; readonly name?: string; readonly username?: string; readonly team_id?: string };
  readonly team: { readonly id: string } | null;
}

function approvalClick(
  body: BlockAction<ButtonAction>,
  action: ButtonAction,
  value: ButtonValue,
  appId: string,
): Click {
  const place = placeOf(body) ?? { channel: '', ts: '' };
  const ours = body.api_app_id === appId && body.message?.['app_id'] === appId;
  const shown = holdsButton(body.message, action.value);
  return {
    ...personOf(body),
    pid: value.approval,
    ballot: { choice: 'approve', questionDigest: value.digest, via: 'slack' },
    requestId: sha256Hex(`${body.trigger_id}#${body.user.id}`).slice(0, 32),
    from: { card: place, isOwn: (known) => isCardOf(known, place, ours, shown) },
  };
}

/** Whether the message shows the button that was clicked: not so once the card was drawn again without it. */
function holdsButton(message: BlockAction['message'], value: string | undefined): boolean {
  const blocks = (message?.['blocks'] ?? []) as readonly {
    readonly elements?: readonly { readonly value?: string }[];
  }[];
  return blocks.some(({ elements }) => elements?.some((element) => element.value === value));
}

const cardOf = ({ channel, ts }: Place): Place => ({ channel, ts });

/**
 * A registered card of this approval, or our own app's message in the approval's channel that shows its button: the card may have been
 * posted by a run that stopped before it could register it (A22). `ours`: the request and the message are of this app.
 */
function isCardOf(known: ApprovalView, place: Place, ours: boolean, shown: boolean): boolean {
  if (!ours) return false;
  const registered = known.cards.some(({ channel, ts }) => channel === place.channel && ts === place.ts);
  return registered || (shown && known.approval.question.stages.some(({ channel }) => channel === place.channel));
}

/**
 * A refused click is answered to the person who made it, and to nobody else. The answer goes to the click's own address: posting an
 * ephemeral message counts against the channel's one message a second, which cards use up.
 */
async function tell(voted: Voted, respond: RespondFn): Promise<void> {
  if (voted.kind === 'counted') return;
  count('ClicksRefused', 1, { reason: voted.refusal });
  await respond({ response_type: 'ephemeral', replace_original: false, text: refusalText(voted.refusal) });
}
