/** Lets people click the cards of the local Slack, and tells what each click was answered. */
import { INPUT, REASON } from '../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS, readButton } from '../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from '../e2e/gate.ts';
import { choose, reject } from '../e2e/harness/slack.ts';
import type { InteractionResult, StoredMessage } from '../local/slack/types.ts';
import { inputOf } from '../simulation/actors.ts';
import { FIRST_CHANNEL, PEOPLE, type PersonName } from '../simulation/policies.ts';

const CHANNELS = ['C0APPROVALS', FIRST_CHANNEL];

export interface Shown {
  readonly card: StoredMessage;
  /** Of the question under the button. */
  readonly digest: string;
  readonly value: string;
}

/** The cards that ask about an approval now, in both channels; also one that was drawn anew since. */
export async function cardsThatAsk(pid: string): Promise<Shown[]> {
  return (await allThatAsk()).get(pid) ?? [];
}

/** Every card that asks now, by its approval. */
export async function allThatAsk(): Promise<ReadonlyMap<string, Shown[]>> {
  const { slack } = await e2eGate();
  const found = new Map<string, Shown[]>();
  for (const card of CHANNELS.flatMap((channel) => slack.messages(channel))) {
    const value = approveButtonOf(card.blocks);
    const about = value === undefined ? undefined : readButton(value);
    if (value === undefined || about?.approval === undefined) continue;
    found.set(about.approval, [...(found.get(about.approval) ?? []), { card, digest: about.digest, value }]);
  }
  return found;
}

export async function hasCard(pid: string): Promise<boolean> {
  const { slack } = await e2eGate();
  const mark = `Approval ${pid.slice(0, 12)}`;
  return CHANNELS.some((channel) =>
    slack.messages(channel).some(({ blocks }) => JSON.stringify(blocks).includes(mark)),
  );
}

function approveButtonOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(approveButtonOf).find((found) => found !== undefined);
  if (typeof value !== 'object' || value === null) return undefined;
  const { action_id: action, value: own, ...rest } = value as { readonly action_id?: string; readonly value?: unknown };
  if (action === ACTIONS.approve && typeof own === 'string') return own;
  return approveButtonOf(Object.values(rest));
}

/** One at a time each: a refusal is told to the person, and belongs to the click before it. */
const turns = new Map<PersonName, Promise<unknown>>();

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
  const before = slack.ephemerals(user).length;
  const { channel, ts } = card;
  const result = await (choice === 'approve'
    ? slack.click({ user, channel, ts, actionId: ACTIONS.approve, shown: value })
    : choice === 'reject'
      ? reject(user, card, 'not today')
      : change(user, card, edit ?? 0));
  const told = slack.ephemerals(user)[before]?.text;
  if (told !== undefined) return told;
  if (result.errors) return Object.values(result.errors).join(' ');
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
