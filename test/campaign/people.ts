/** Lets people click the cards of the local Slack, and tells what each click was answered. */
import { INPUT, REASON } from '../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS, readButton } from '../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from '../e2e/gate.ts';
import { blocksText, oncePerDrawing } from '../e2e/harness/slack.ts';
import type { LocalSlackControls } from '../local/slack/controls.ts';
import type { Click } from '../local/slack/interactions/act.ts';
import type { EnteredValues } from '../local/slack/interactions/state-values.ts';
import type { InteractionResult, StoredMessage } from '../local/slack/types.ts';
import { inputOf } from '../simulation/model/plan.ts';
import { FIRST_CHANNEL, PEOPLE, type PersonName } from '../simulation/model/policies.ts';

const CHANNELS = ['C0APPROVALS', FIRST_CHANNEL];

interface Asked {
  readonly approval: string;
  /** The digest of the question under the button. */
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

const askedOn = oncePerDrawing((blocks): Asked | undefined => {
  const value = approveButtonOf(blocks);
  const about = value === undefined ? undefined : readButton(value);
  return value === undefined || about === undefined
    ? undefined
    : { approval: about.approval, digest: about.digest, value };
});

export async function hasCard(pid: string): Promise<boolean> {
  const { slack } = await e2eGate();
  const mark = `Approval ${pid.slice(0, 12)}`;
  return CHANNELS.some((channel) => slack.messages(channel, (card) => blocksText(card).includes(mark)).length > 0);
}

function approveButtonOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(approveButtonOf).find((found) => found !== undefined);
  if (typeof value !== 'object' || value === null) return undefined;
  const { action_id: action, value: own, ...rest } = value as { readonly action_id?: string; readonly value?: unknown };
  if (action === ACTIONS.approve && typeof own === 'string') return own;
  return approveButtonOf(Object.values(rest));
}

/** One at a time each: nobody fills in two forms at once. */
const turns = new Map<PersonName, Promise<unknown>>();

type Slack = Pick<LocalSlackControls, 'click' | 'closeView' | 'ephemerals' | 'submitView' | 'views'>;
interface Cast {
  readonly choice: 'approve' | 'reject' | 'edit';
  readonly edit?: number | undefined;
}

/** `counted`, the text of a refusal, or undefined where no answer came back. */
export function clickAs(who: PersonName, shown: Shown, cast: Cast, slack?: Slack): Promise<string | undefined> {
  return inTurn(who, async () => act(slack ?? (await e2eGate()).slack, who, shown, cast));
}

export function inTurn<Result>(who: PersonName, work: () => Promise<Result>): Promise<Result> {
  const turn = (turns.get(who) ?? Promise.resolve()).catch(() => undefined).then(work);
  turns.set(who, turn);
  return turn;
}

/** A refusal names the click that it answers: one of a click before, which comes late, is not about this one. */
async function act(slack: Slack, who: PersonName, shown: Shown, cast: Cast): Promise<string | undefined> {
  const { user } = PEOPLE[who];
  const { click, result } = await answered(slack, user, shown, cast);
  const trigger = triggerOf(click);
  const told = slack.ephemerals(user).find(({ answersTo }) => answersTo === trigger)?.text;
  if (told !== undefined) return told;
  if (result.errors) return Object.values(result.errors).join(' ');
  return result.ok ? 'counted' : undefined;
}

/** Names a click in everything that its app does about it. */
function triggerOf({ entry }: InteractionResult): string {
  const payload = new URLSearchParams(entry?.body).get('payload');
  const { trigger_id: trigger } = JSON.parse(payload ?? '{}') as { readonly trigger_id?: string };
  if (!trigger) throw new Error('the click has no trigger');
  return trigger;
}

/** `result`: of the form, where the click opened one. */
async function answered(
  slack: Slack,
  user: string,
  { card, value }: Pick<Shown, 'card' | 'value'>,
  { choice, edit = 0 }: Cast,
): Promise<{ readonly click: InteractionResult; readonly result: InteractionResult }> {
  const { channel, ts } = card;
  for (const { id } of slack.views(user)) await slack.closeView({ user, viewId: id });
  const press = (what: Pick<Click, 'actionId' | 'shown' | 'value'>) => slack.click({ user, channel, ts, ...what });
  switch (choice) {
    case 'approve': {
      const click = await press({ actionId: ACTIONS.approve, shown: value });
      return { click, result: click };
    }
    case 'reject': {
      const click = await press({ actionId: ACTIONS.reject });
      return { click, result: await filledIn(slack, user, click, reasoned('not today')) };
    }
    case 'edit': {
      const click = await press({ actionId: ACTIONS.more, value: ACTIONS.edit });
      const input = { [INPUT.block]: { [INPUT.action]: JSON.stringify(inputOf(edit)) } };
      return { click, result: await filledIn(slack, user, click, { ...input, ...reasoned('rather this one') }) };
    }
    default:
      return choice satisfies never;
  }
}

const reasoned = (reason: string) => ({ [REASON.block]: { [REASON.action]: reason } });

/** Only the form that the click opened: one of a click before may open as well, while this one waits for its answer. */
async function filledIn(
  slack: Slack,
  user: string,
  click: InteractionResult,
  values: EnteredValues,
): Promise<InteractionResult> {
  const trigger = triggerOf(click);
  const view = slack.views(user).find(({ openedBy }) => openedBy === trigger);
  if (!view) return { ...click, ok: false };
  const result = await slack.submitView({ user, viewId: view.id, values });
  if (!result.ok) await slack.closeView({ user, viewId: view.id });
  return result;
}
