/** What a verified request says of itself: who acted, on which card, with which button (G19). */
import type { BlockAction, ButtonAction, RespondFn } from '@slack/bolt';
import type { ButtonValue } from '../../shared/adapters/slack/card.ts';
import type { Click } from '../../shared/pipeline/vote.ts';
import type { ApprovalView } from '../../shared/ports/approval-store.ts';
import { count } from '../runtime/observe.ts';

export type ButtonClick = BlockAction<ButtonAction>;

export interface Place {
  readonly channel: string;
  readonly ts: string;
}

export function placeOf({ channel, message, container }: BlockAction): Place | undefined {
  const ts = message?.ts ?? (container['message_ts'] as string | undefined);
  return channel && ts ? { channel: channel.id, ts } : undefined;
}

/** What a button of ours says; undefined if it says something else. */
export function buttonValue(text: string | undefined): (ButtonValue & Readonly<Record<string, unknown>>) | undefined {
  try {
    const value = JSON.parse(text ?? '') as Partial<ButtonValue> & Record<string, unknown>;
    const { approval, digest } = value;
    return typeof approval === 'string' && typeof digest === 'string' ? { ...value, approval, digest } : undefined;
  } catch {
    return undefined;
  }
}

interface Signed {
  readonly user: { readonly id: string; readonly name?: string; readonly username?: string; readonly team_id?: string };
  readonly team: { readonly id: string } | null;
}

/** Who the signed request says acted; display names are shown, never compared (AU-017). */
export function personOf({ user, team }: Signed): Pick<Click, 'person' | 'name' | 'isBot'> {
  const home = user.team_id ?? team?.id ?? '';
  return {
    person: { team: home, user: user.id },
    name: user.name ?? user.username ?? user.id,
    isBot: user.id === 'USLACKBOT',
  };
}

/** Where a click on a message comes from, and whether that is a card of the approval it names. */
export function originOf(body: ButtonClick, value: string | undefined, appId: string): NonNullable<Click['from']> {
  const place = placeOf(body) ?? { channel: '', ts: '' };
  const ours = body.api_app_id === appId && body.message?.['app_id'] === appId;
  const shown = holdsButton(body.message, value);
  return { card: place, isOwn: (known) => isCardOf(known, place, ours, shown) };
}

/** Whether the message shows the button that was clicked: not so once the card was drawn again without it. */
export function holdsButton(message: BlockAction['message'], value: string | undefined): boolean {
  const blocks = (message?.['blocks'] ?? []) as readonly {
    readonly elements?: readonly { readonly value?: string }[];
  }[];
  return blocks.some(({ elements }) => elements?.some((element) => element.value === value));
}

/**
 * A registered card of this approval, or our own app's message in the approval's channel that shows its button: the card may have been
 * posted by a run that stopped before it could register it (A22). `ours`: the request and the message are of this app.
 */
export function isCardOf(known: ApprovalView, place: Place, ours: boolean, shown: boolean): boolean {
  if (!ours) return false;
  const registered = known.cards.some(({ channel, ts }) => channel === place.channel && ts === place.ts);
  return registered || (shown && known.approval.question.stages.some(({ channel }) => channel === place.channel));
}

/**
 * Says something to the person who clicked, and to nobody else. The answer goes to the click's own address: posting an ephemeral
 * message counts against the channel's one message a second, which cards use up.
 */
export async function tell(respond: RespondFn, text: string, refusal?: string): Promise<void> {
  if (refusal) count('ClicksRefused', 1, { reason: refusal });
  await respond({ response_type: 'ephemeral', replace_original: false, text });
}
