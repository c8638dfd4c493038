/** Lets people click the cards of the local Slack, and tells what each click was answered. */
import { INPUT, REASON, VIEWS } from '../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS, readButton } from '../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from '../e2e/gate.ts';
import type { LocalSlackControls } from '../local/slack/controls.ts';
import type { EnteredValues } from '../local/slack/interactions/state-values.ts';
import type { InteractionResult, StoredMessage } from '../local/slack/types.ts';
import { inputOf } from '../simulation/plan.ts';
import { FIRST_CHANNEL, PEOPLE, type PersonName } from '../simulation/policies.ts';

const CHANNELS = ['C0APPROVALS', FIRST_CHANNEL];

interface Asked {
  readonly approval: string;
  /** Of the question under the button. */
  readonly digest: string;
  readonly value: string;
}

export interface Shown extends Asked {
  readonly card: StoredMessage;
}

/** The cards that ask about an approval now, in both channels; also one that was drawn anew since. */
export const cardsThatAsk = (pid: string): Promise<Shown[]> => shownWhere(({ approval }) => approval === pid);

/** Every card that asks now, by its approval. */
export const allThatAsk = async (): Promise<ReadonlyMap<string, Shown[]>> =>
  Map.groupBy(await shownWhere(() => true), ({ approval }) => approval);

async function shownWhere(which: (asked: Asked) => boolean): Promise<Shown[]> {
  const { slack } = await e2eGate();
  const isWanted = (card: StoredMessage): boolean => {
    const asked = askedOn(card);
    return asked !== undefined && which(asked);
  };
  return CHANNELS.flatMap((channel) => slack.messages(channel, isWanted)).flatMap((card) => {
    const asked = askedOn(card);
    return asked ? [{ card, ...asked }] : [];
  });
}

/** A card has the same blocks until it is drawn anew: of thousands that stand there, each is read once. */
function oncePerDrawing<Result>(read: (blocks: StoredMessage['blocks']) => Result) {
  const known = new WeakMap<object, { readonly result: Result }>();
  return ({ blocks }: StoredMessage): Result => {
    const { result } = known.get(blocks) ?? { result: read(blocks) };
    known.set(blocks, { result });
    return result;
  };
}

const askedOn = oncePerDrawing((blocks): Asked | undefined => {
  const value = approveButtonOf(blocks);
  const about = value === undefined ? undefined : readButton(value);
  return value === undefined || about === undefined
    ? undefined
    : { approval: about.approval, digest: about.digest, value };
});
const textOf = oncePerDrawing((blocks) => JSON.stringify(blocks));

export async function hasCard(pid: string): Promise<boolean> {
  const { slack } = await e2eGate();
  const mark = `Approval ${pid.slice(0, 12)}`;
  return CHANNELS.some((channel) => slack.messages(channel, (card) => textOf(card).includes(mark)).length > 0);
}

function approveButtonOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(approveButtonOf).find((found) => found !== undefined);
  if (typeof value !== 'object' || value === null) return undefined;
  const { action_id: action, value: own, ...rest } = value as { readonly action_id?: string; readonly value?: unknown };
  if (action === ACTIONS.approve && typeof own === 'string') return own;
  return approveButtonOf(Object.values(rest));
}

/** One at a time each: a refusal is told to the person, and belongs to the click on its card before it. */
const turns = new Map<PersonName, Promise<unknown>>();

/** Clicks whose answer may come yet, by person and card: a refusal there may be theirs. */
const unheard = new Set<string>();

type Slack = Pick<LocalSlackControls, 'click' | 'closeView' | 'ephemerals' | 'submitView' | 'views'>;
interface Cast {
  readonly choice: 'approve' | 'reject' | 'edit';
  readonly edit?: number | undefined;
}

/** `counted`, the text of a refusal, or undefined where no answer came back. */
export function clickAs(who: PersonName, shown: Shown, cast: Cast, slack?: Slack): Promise<string | undefined> {
  return inTurn(who, async () => act(slack ?? (await e2eGate()).slack, who, shown, cast));
}

/** Nobody fills in two forms at once. */
export function inTurn<Result>(who: PersonName, work: () => Promise<Result>): Promise<Result> {
  const turn = (turns.get(who) ?? Promise.resolve()).catch(() => undefined).then(work);
  turns.set(who, turn);
  return turn;
}

async function act(slack: Slack, who: PersonName, { card, value }: Shown, cast: Cast): Promise<string | undefined> {
  const { user } = PEOPLE[who];
  const toldOf = () => slack.ephemerals(user).filter(({ answersTo }) => answersTo === card.ts);
  const before = toldOf().length;
  const about = `${user} ${card.ts}`;
  const wasUnheard = unheard.has(about);
  // Until it is heard: also where something breaks off between the click and its answer.
  unheard.add(about);
  const result = await answered(slack, user, { card, value }, cast);
  const told = toldOf()[before]?.text;
  if (wasUnheard && told !== undefined) return undefined;
  if ((told !== undefined || result.ok || result.errors) && !wasUnheard) unheard.delete(about);
  if (told !== undefined) return told;
  if (result.errors) return Object.values(result.errors).join(' ');
  return result.ok ? 'counted' : undefined;
}

async function answered(
  slack: Slack,
  user: string,
  { card, value }: Pick<Shown, 'card' | 'value'>,
  { choice, edit = 0 }: Cast,
): Promise<InteractionResult> {
  const { channel, ts } = card;
  // A form that opened late, for a click before, is not what this click is about.
  for (const { id } of slack.views(user)) await slack.closeView({ user, viewId: id });
  switch (choice) {
    case 'approve':
      return slack.click({ user, channel, ts, actionId: ACTIONS.approve, shown: value });
    case 'reject': {
      const opened = await slack.click({ user, channel, ts, actionId: ACTIONS.reject });
      return filledIn(slack, user, { card, opened, form: VIEWS.reject, values: reasoned('not today') });
    }
    case 'edit': {
      const opened = await slack.click({ user, channel, ts, actionId: ACTIONS.more, value: ACTIONS.edit });
      const input = { [INPUT.block]: { [INPUT.action]: JSON.stringify(inputOf(edit)) } };
      return filledIn(slack, user, {
        card,
        opened,
        form: VIEWS.edit,
        values: { ...input, ...reasoned('rather this one') },
      });
    }
    default:
      return choice satisfies never;
  }
}

const reasoned = (reason: string) => ({ [REASON.block]: { [REASON.action]: reason } });

interface Opened {
  readonly card: StoredMessage;
  readonly opened: InteractionResult;
  readonly form: string;
  readonly values: EnteredValues;
}

/** Only the form that the click opened: while it waits for its answer, one of a click before may open as well. */
async function filledIn(
  slack: Slack,
  user: string,
  { card, opened, form, values }: Opened,
): Promise<InteractionResult> {
  const view = slack
    .views(user)
    .findLast(({ content }) => content['callback_id'] === form && cardOf(content['private_metadata']) === card.ts);
  if (!view) return { ...opened, ok: false };
  const result = await slack.submitView({ user, viewId: view.id, values });
  if (!result.ok) await slack.closeView({ user, viewId: view.id });
  return result;
}

/** The card that a form of the gate was opened from. */
const cardOf = (context: unknown): unknown =>
  typeof context === 'string' ? (JSON.parse(context) as { readonly ts?: unknown }).ts : undefined;
