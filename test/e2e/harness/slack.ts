/** Plays people in front of Slack: they find the card of an approval, click it, fill the modal. */
import { ACTION, REASON } from '../../../shared/adapters/slack/cards/modals.ts';
import { VIEW_ALL } from '../../../shared/adapters/slack/cards/view-all.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { FORMS } from '../../../shared/adapters/slack/texts/forms.ts';
import type { Overrides } from '../../local/slack/interactions/act.ts';
import type { InteractionResult, StoredMessage } from '../../local/slack/types.ts';
import { e2eGate } from '../gate.ts';
import { until } from './until.ts';

export const ALICE = 'U0ALICE';
export const BOB = 'U0BOB';
export const CAROL = 'U0CAROL';
export const OLGA = 'U0OLGA';
export const ERIN = 'U0ERIN';
export const FRANK = 'U0FRANK';
export const DANA = 'U0DANA';
export const GUS = 'U0GUS';
export const LENA = 'U0LENA';
export const STRANGER = 'U0STRANGER';
export const APPROVALS = 'C0APPROVALS';
export const RELEASES = 'C0RELEASES';
export const CREW = 'C0CREW';
export const LEADS = 'C0LEADS';
export const CHANNELS = [APPROVALS, RELEASES, CREW, LEADS];

const MAX_CLICKS = 5;

export type Card = Pick<StoredMessage, 'channel' | 'ts'>;

/** Every card of an approval, as it is now; it names the approval in its last line. */
export async function cardsOf(pid: string): Promise<StoredMessage[]> {
  const { slack } = await e2eGate();
  const mark = `Approval ${pid.slice(0, 12)}`;
  return CHANNELS.flatMap((channel) => slack.messages(channel, (card) => blocksText(card).includes(mark)));
}

/** Blocks are replaced when a message is drawn anew: of the hundreds that stand there at each look, each is read once. */
export function oncePerDrawing<Result>(read: (blocks: StoredMessage['blocks']) => Result) {
  const known = new WeakMap<object, { readonly result: Result }>();
  return ({ blocks }: Pick<StoredMessage, 'blocks'>): Result => {
    const { result } = known.get(blocks) ?? { result: read(blocks) };
    known.set(blocks, { result });
    return result;
  };
}

/** The JSON of a message's blocks, of which `which` of `slack.messages` looks for words. */
export const blocksText = oncePerDrawing((blocks) => JSON.stringify(blocks));

export const cardOf = (pid: string): Promise<StoredMessage> =>
  until(`the card of ${pid}`, async () => (await cardsOf(pid))[0]);

/** Waits until every card of the approval begins with these words. */
export const cardSays = (pid: string, words: string): Promise<StoredMessage[]> =>
  until(`a card that says ${words}`, async () => {
    const cards = await cardsOf(pid);
    return cards.length > 0 && cards.every(({ text }) => text.startsWith(words)) ? cards : undefined;
  });

export async function approve(user: string, card: Card, overrides?: Overrides): Promise<InteractionResult> {
  const { slack } = await e2eGate();
  const { channel, ts } = card;
  return slack.click({ user, channel, ts, actionId: ACTIONS.approve, ...(overrides ? { overrides } : {}) });
}

/** Approves the next card that names this tool, whatever its approval is. */
export async function approveNext(user: string, tool: string): Promise<void> {
  const { slack } = await e2eGate();
  const known = new Set(slack.messages(APPROVALS).map(({ ts }) => ts));
  const isNext = (one: StoredMessage) => !known.has(one.ts) && blocksText(one).includes(tool);
  await approve(user, await until(`a card of ${tool}`, () => slack.messages(APPROVALS, isNext)[0]));
}

/** Opens the modal, submits it, and closes it if it was sent back; no modal opens for who may not answer. `overrides` change the click. */
export async function reject(
  user: string,
  { channel, ts }: Card,
  reason: string,
  overrides?: Overrides,
): Promise<InteractionResult> {
  const { slack } = await e2eGate();
  const click = { user, channel, ts, actionId: ACTIONS.reject, ...(overrides ? { overrides } : {}) };
  let clicked = await slack.click(click);
  // On a busy machine the trigger of a click may be over: the person is told to click again.
  for (let tried = 0; tried < MAX_CLICKS && slack.ephemerals(user).at(-1)?.text === FORMS.notShown; tried++) {
    if (slack.views(user).length) break;
    clicked = await slack.click(click);
  }
  const view = slack.views(user).at(-1);
  if (!view) return { ...clicked, ok: false };
  const values = { [REASON.block]: { [REASON.action]: reason } };
  const result = await slack.submitView({ user, viewId: view.id, values });
  if (!result.ok) await slack.closeView({ user, viewId: view.id });
  return result;
}

/** An option of the menu behind the buttons, by its verb. */
export async function choose(user: string, { channel, ts }: Card, verb: string): Promise<InteractionResult> {
  const { slack } = await e2eGate();
  return slack.click({ user, channel, ts, actionId: ACTIONS.more, value: verb });
}

/** Opens the modal, picks the action at this place of the action space, and says why. */
export async function substitute(
  user: string,
  { channel, ts }: Card,
  index: number,
  reason: string,
): Promise<InteractionResult> {
  const { slack } = await e2eGate();
  await choose(user, { channel, ts }, ACTIONS.substitute);
  const view = await until('the modal', () => slack.views(user).at(-1));
  // The option says which action, and exactly what it was when it was shown.
  const value = JSON.stringify(view.content).match(new RegExp(`"(${index}:[0-9a-f]{64})"`))?.[1] ?? '';
  const values = { [ACTION.block]: { [ACTION.action]: value }, [REASON.block]: { [REASON.action]: reason } };
  return slack.submitView({ user, viewId: view.id, values });
}

/** All that would run, read page by page to its end; the modal is closed again, or what was read is approved on its last page. */
export async function viewAll(
  user: string,
  { channel, ts }: Card,
  end: 'close' | 'approve' = 'close',
): Promise<string> {
  const { slack } = await e2eGate();
  // A button where not all is shown, else an option of the menu.
  await slack
    .click({ user, channel, ts, actionId: ACTIONS.viewAll })
    .catch(() => choose(user, { channel, ts }, ACTIONS.viewAll));
  let text = '';
  for (;;) {
    const { id, content } = await until('a page', () => slack.views(user).at(-1));
    text += preformatted(content['blocks']);
    const next = `${VIEW_ALL.turn}_next`;
    if (!JSON.stringify(content).includes(next)) {
      await (end === 'approve' ? slack.submitView({ user, viewId: id }) : slack.closeView({ user, viewId: id }));
      return text;
    }
    await slack.click({ user, viewId: id, actionId: next });
  }
}

/** Preformatted texts in blocks, in order. */
function preformatted(value: unknown): string {
  if (Array.isArray(value)) return value.map(preformatted).join('');
  if (typeof value !== 'object' || value === null) return '';
  const { type, elements, ...rest } = value as { readonly type?: string; readonly elements?: unknown };
  if (type !== 'rich_text_preformatted') return preformatted(elements ?? Object.values(rest));
  return (elements as readonly { readonly text: string }[]).map(({ text }) => text).join('');
}

/** Private messages to the person after the first `since` ones. */
export async function told(user: string, since: number): Promise<string> {
  const { slack } = await e2eGate();
  return until(`an answer that only ${user} sees`, () => slack.ephemerals(user)[since]?.text);
}

export async function toldSoFar(user: string): Promise<number> {
  const { slack } = await e2eGate();
  return slack.ephemerals(user).length;
}
