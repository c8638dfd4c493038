/** Lets people click the cards of the local Slack, and tells what each click was answered. */
import { INPUT, REASON } from '../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS, readButton } from '../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from '../e2e/gate.ts';
import { choose, reject } from '../e2e/harness/slack.ts';
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

/** `counted`, the text of a refusal, or undefined where no answer came back. */
export function clickAs(
  who: PersonName,
  shown: Shown,
  cast: { readonly choice: 'approve' | 'reject' | 'edit'; readonly edit?: number | undefined },
): Promise<string | undefined> {
  const turn = (turns.get(who) ?? Promise.resolve()).catch(() => undefined).then(() => act(who, shown, cast));
  turns.set(who, turn);
  return turn;
}

async function act(
  who: PersonName,
  { card, value }: Shown,
  { choice, edit }: { readonly choice: 'approve' | 'reject' | 'edit'; readonly edit?: number | undefined },
): Promise<string | undefined> {
  const { slack } = await e2eGate();
  const { user } = PEOPLE[who];
  const { channel, ts } = card;
  const toldOf = () => slack.ephemerals(user).filter(({ answersTo }) => answersTo === ts);
  const before = toldOf().length;
  const result = await (choice === 'approve'
    ? slack.click({ user, channel, ts, actionId: ACTIONS.approve, shown: value })
    : choice === 'reject'
      ? reject(user, card, 'not today')
      : change(user, card, edit ?? 0));
  const told = toldOf()[before]?.text;
  const about = `${user} ${ts}`;
  if (told !== undefined) return unheard.has(about) ? undefined : told;
  if (result.errors) return Object.values(result.errors).join(' ');
  if (!result.ok) unheard.add(about);
  return result.ok ? 'counted' : undefined;
}

async function change(user: string, card: StoredMessage, number: number): Promise<InteractionResult> {
  const { slack } = await e2eGate();
  const opened = await choose(user, card, ACTIONS.edit);
  const view = slack.views(user).at(-1);
  if (!view) return { ...opened, ok: false };
  const values = {
    [INPUT.block]: { [INPUT.action]: JSON.stringify(inputOf(number)) },
    [REASON.block]: { [REASON.action]: 'rather this one' },
  };
  const result = await slack.submitView({ user, viewId: view.id, values });
  if (!result.ok) await slack.closeView({ user, viewId: view.id });
  return result;
}
