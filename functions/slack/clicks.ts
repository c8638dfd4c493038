/** Reads a verified request: who acted, on which card, with which button. */
import type { BlockAction, ButtonAction, OverflowAction, RespondFn, ViewSubmitAction } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { ModalContext } from '../../shared/adapters/slack/cards/modals.ts';
import { refusalFor } from '../../shared/adapters/slack/cards/refusals.ts';
import { type ButtonValue, readButton } from '../../shared/adapters/slack/elements/actions.ts';
import type { Policy } from '../../shared/config/compile.ts';
import { type Person, person } from '../../shared/contract/index.ts';
import { canonicalJson, sha256Hex } from '../../shared/domain/digest.ts';
import type { ApprovalView } from '../../shared/ports/stores/approval-store.ts';
import type { ClickContext, VoteResult } from '../../shared/use-cases/approvals/voting/cast-vote.ts';
import { count, logFault } from '../runtime/telemetry/observe.ts';

export type ButtonClick = BlockAction<ButtonAction>;
export type MenuClick = BlockAction<OverflowAction>;

/** A clicked element: a button with all its fields, or an option of a menu. The block of a menu names the approval. */
type Clicked = Pick<ButtonAction, 'type' | 'action_id' | 'block_id' | 'value'> | OverflowAction;

/** A click as a listener gets it. */
export interface Opened {
  readonly ack: () => Promise<void>;
  readonly body: BlockAction;
  readonly action: Clicked;
  readonly client: WebClient;
  readonly respond: RespondFn | undefined;
}

interface CardLocation {
  readonly channel: string;
  readonly ts: string;
}

export function locationOf({ channel, message, container }: BlockAction): CardLocation | undefined {
  const ts = message?.ts ?? (container['message_ts'] as string | undefined);
  return channel && ts ? { channel: channel.id, ts } : undefined;
}

interface Signed {
  readonly user: { readonly id: string; readonly name?: string; readonly username?: string; readonly team_id?: string };
  readonly team: { readonly id: string } | null;
}

/** The person who acted, and in which workspace, by the signed request. A request of a whole organisation names no workspace. */
export function personOf({ user, team }: Signed): Pick<ClickContext, 'person' | 'workspace' | 'isBot'> {
  const named = person.safeParse({ team: user.team_id ?? team?.id, user: user.id });
  return { person: named.data ?? NOBODY, workspace: team?.id, isBot: user.id === 'USLACKBOT' };
}

/** Replaces in the record an id that is not one, because a row with it could not be read again. */
const NOBODY: Person = { team: 'unknown', user: 'unknown' };

/** Names a signed click or command, so that a second delivery of it has no effect. */
export const requestId = (triggerId: string, user: string): string => sha256Hex(`${triggerId}#${user}`).slice(0, 32);

/** A form as its person filled it in. */
interface SentForm {
  readonly id: string;
  readonly hash: string;
  readonly state: object;
}

/**
 * Names a form that was sent, so that a second delivery of it has no effect. A form that comes back with a problem keeps its hash: filled in anew,
 * it is another request.
 */
export const formRequestId = ({ id, hash, state }: SentForm): string =>
  requestId(`${id}#${hash}`, JSON.stringify(state));

/** The person's name, which is shown and never compared (AU-017). */
export const displayNameOf = ({ user }: Signed): string => user.name ?? user.username ?? user.id;

/** A click on a card's own button. */
export const clickOf = (body: BlockAction, action: Clicked, pid: string, appId: string): ClickContext => ({
  ...personOf(body),
  pid,
  requestId: requestId(body.trigger_id, body.user.id),
  from: originOf(body, action, appId),
  shown: shownIn(body.message),
});

/** A form that was opened from a card. */
export function submissionOf(body: ViewSubmitAction, context: ModalContext, appId: string): ClickContext {
  const { approval, channel, ts, shown } = context;
  return {
    ...personOf(body),
    pid: approval,
    requestId: formRequestId(body.view),
    from: {
      card: { channel, ts },
      isOwn: (known) => isCardOf(known, context, body.view.app_id === appId && body.api_app_id === appId, shown),
    },
    shown: shownIn(body.view),
  };
}

/** The card from which the clicked modal was opened; undefined for a click elsewhere. */
export function formOf(body: BlockAction, value: ButtonValue): ModalContext | undefined {
  if (body.view?.type !== 'modal') return undefined;
  return { ...readContext(body.view.private_metadata), ...value };
}

/** A click in a modal that was opened from a card. */
export const formContext = (body: BlockAction, context: ModalContext, appId: string): ClickContext => ({
  ...personOf(body),
  pid: context.approval,
  requestId: requestId(body.trigger_id, body.user.id),
  from: {
    card: { channel: context.channel, ts: context.ts },
    isOwn: (known) => isCardOf(known, context, isPressInOwnView(body, appId), context.shown),
  },
  shown: shownIn(body.view),
});

/** The blocks that the person saw. A form's blocks hold its questions, and not the text that was typed. */
const shownIn = (surface: object | undefined): string | undefined => {
  const blocks: unknown = surface && Reflect.get(surface, 'blocks');
  return Array.isArray(blocks) ? canonicalJson({ blocks }) : undefined;
};

/** The metadata of a form. A form with other metadata concerns no approval: it is refused, and recorded like any other. */
export function readContext(text: string): ModalContext {
  const about = readButton(text);
  if (!about) return { approval: '', digest: '', channel: '', ts: '', shown: false };
  const { channel, ts, shown } = JSON.parse(text) as Partial<Record<string, unknown>>;
  return { ...about, channel: textOf(channel), ts: textOf(ts), shown: shown === true };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Where a click on a message comes from, and whether that is a card of the approval it names. */
export function originOf(body: BlockAction, action: Clicked, appId: string): NonNullable<ClickContext['from']> {
  const location = locationOf(body) ?? { channel: '', ts: '' };
  const ours = isOwnPress(body, appId);
  const shown = holdsButton(body.message, action);
  return { card: location, isOwn: (known) => isCardOf(known, location, ours, shown) };
}

/** Bolt treats any request with `actions` as a press of a button. A request that names several buttons is ambiguous. */
const isPress = ({ type, actions }: BlockAction): boolean => type === 'block_actions' && actions.length === 1;

/** Whether the request is one press of a button, on a message of this app. */
export const isOwnPress = (body: BlockAction, appId: string): boolean =>
  isPress(body) && body.api_app_id === appId && body.message?.['app_id'] === appId;

/** Whether the request is one press of a button in a form or a Home of this app: the signed request names the view's app. */
export const isPressInOwnView = (body: BlockAction, appId: string): boolean =>
  isPress(body) && body.api_app_id === appId && body.view?.app_id === appId;

interface ShownElement {
  readonly type?: string;
  readonly action_id?: string;
  readonly value?: string;
  readonly options?: readonly { readonly value?: string }[];
}

/**
 * Whether the message still shows the clicked element; a card that was drawn again may not. An option counts only within its own block, because the
 * block names the approval.
 */
export function holdsButton(message: BlockAction['message'], action: Clicked): boolean {
  const blocks = (message?.['blocks'] ?? []) as readonly {
    readonly block_id?: string;
    readonly elements?: readonly ShownElement[];
    readonly accessory?: ShownElement;
  }[];
  if (!('selected_option' in action))
    return blocks.some(({ elements = [], accessory }) =>
      [...elements, ...(accessory ? [accessory] : [])].some(
        ({ value }) => value !== undefined && value === action.value,
      ),
    );
  const { block_id: block, action_id: id, selected_option: option } = action;
  return blocks.some(
    ({ block_id, elements }) =>
      block_id === block &&
      elements?.some(
        (one) =>
          one.type === 'overflow' && one.action_id === id && one.options?.some(({ value }) => value === option.value),
      ),
  );
}

/**
 * Whether the clicked message is a card of this approval: a registered one, or a message of our own app that shows its button in one of the
 * approval's channels. The second case is a card whose run stopped between posting and registering it. `isOurs`: the request and the message are of
 * this app.
 */
function isCardOf(known: ApprovalView, location: CardLocation, isOurs: boolean, isShown: boolean): boolean {
  if (!isOurs) return false;
  const registered = known.cards.some(({ channel, ts }) => channel === location.channel && ts === location.ts);
  const { stages } = known.approval.question;
  const asked = stages.some((stage) => [stage.channel, stage.escalateTo?.channel].includes(location.channel));
  return registered || (isShown && asked);
}

/**
 * Tells the person who clicked, and nobody else. The text goes to the response address of the click, because an ephemeral message would count
 * against the channel's one message a second, which cards need. The click is recorded and acknowledged by then: a text that Slack does not take
 * is counted, and is no fault. `respond` is missing where the request names no address of Slack.
 */
export async function notify(respond: RespondFn | undefined, text: string): Promise<void> {
  try {
    if (!respond) throw new Error('the request names no address to answer at');
    await respond({ response_type: 'ephemeral', replace_original: false, text });
  } catch (error) {
    count('AnswersLost');
    logFault('a person could not be told why a click did not count', error, { run: true }, 'warn');
  }
}

export async function notifyRefusal(
  voted: VoteResult,
  person: Person,
  policy: Policy,
  respond: RespondFn | undefined,
): Promise<void> {
  if (voted.kind === 'counted') return;
  counted(voted);
  await notify(respond, refusalFor(voted, person, policy));
}

export function counted(voted: VoteResult): void {
  if (voted.kind === 'refused') count('ClicksRefused', 1, { reason: voted.refusal });
}
