/** Has people answer by the forms behind a card's buttons: for a session, in words, by handing on. */
import { setTimeout as delay } from 'node:timers/promises';
import { ANSWER, type Field, PERSON, SCOPE, VIEWS } from '../../../shared/adapters/slack/cards/modals.ts';
import { VIEW_ALL } from '../../../shared/adapters/slack/cards/view-all.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import type { Approval } from '../../../shared/contract/index.ts';
import { asleepForEver } from '../../e2e/harness/damage.ts';
import { approvalOf, waiting } from '../../e2e/harness/rows.ts';
import { type Card, cardOf, choose } from '../../e2e/harness/slack.ts';
import type { Propose } from '../../simulation/model/plan.ts';
import { PEOPLE, type PersonName } from '../../simulation/model/policies.ts';
import { inTurn } from '../people.ts';
import { VOTED } from './awaits.ts';
import { proposed, type Scene, type Turn, WOKEN_MS, woken } from './scenes.ts';

const MAX_PAGES = 30;
const ASKS = 'reader';

interface Answer {
  readonly who: PersonName;
  readonly action: string;
  readonly form: string;
  readonly field: Field;
  readonly value: string;
}

async function answeredBy({ actors }: Turn, pid: string, { who, action, form, field, value }: Answer): Promise<void> {
  const { slack } = actors.gate;
  const { user } = PEOPLE[who];
  const card = await placeOf(pid);
  const click = () =>
    action === ACTIONS.respond ? slack.click({ user, ...card, actionId: action }) : choose(user, card, action);
  const fillIn = async (): Promise<boolean> => {
    await click().catch(() => undefined);
    const view = slack.views(user).findLast(({ content }) => content['callback_id'] === form);
    if (!view) return false;
    const values = { [field.block]: { [field.action]: value } };
    const result = await slack.submitView({ user, viewId: view.id, values }).catch(() => undefined);
    if (!result?.ok) await slack.closeView({ user, viewId: view.id }).catch(() => undefined);
    return result?.ok === true;
  };
  await untilCounted(pid, who, fillIn);
}

/** A process that ends opens no form, takes none, or cannot say that it has; and one after the other may end. */
async function untilCounted(pid: string, who: PersonName, fillIn: () => Promise<boolean>): Promise<void> {
  const versionNow = async () => (await approvalOf(pid))?.approval.version;
  const version = await versionNow();
  const hasCounted = async () => (await versionNow().catch(() => version)) !== version;
  for (const until = Date.now() + WOKEN_MS; Date.now() < until; await delay(500))
    if ((await inTurn(who, fillIn)) || (await hasCounted())) return;
}

export const placeOf = async (pid: string): Promise<Card> => {
  const { channel, ts } = await cardOf(pid);
  return { channel, ts };
};

function noteVote({ actors }: Turn, { id }: Propose, who: PersonName, remember: boolean, { question }: Approval): void {
  actors.history.votes.push({
    ...{ at: Date.now(), id, who, choice: 'approve', remember, requestId: '' },
    seen: question.kind === 'calls' ? question.calls.map(({ actionDigest }) => actionDigest) : [],
  });
}

/** By its button where the card does not show all, else in the menu. */
export async function openedWhole({ actors }: Turn, user: string, card: Card): Promise<void> {
  await actors.gate.slack
    .click({ user, ...card, actionId: ACTIONS.viewAll })
    .catch(() => choose(user, card, ACTIONS.viewAll))
    .catch(() => undefined);
}

/** The last page of a text that is too long for its card, where it can be answered. */
export async function lastPage(turn: Turn, user: string, card: Card): Promise<string | undefined> {
  const { slack } = turn.actors.gate;
  await openedWhole(turn, user, card);
  for (let page = 0; page < MAX_PAGES; page++) {
    const view = slack.views(user).at(-1);
    const actionId = `${VIEW_ALL.turn}_next`;
    if (!view || !JSON.stringify(view.content).includes(actionId)) return view?.id;
    await slack.click({ user, viewId: view.id, actionId }).catch(() => undefined);
  }
  return undefined;
}

async function readToItsEnd(turn: Turn, user: string, card: Card): Promise<boolean> {
  const viewId = await lastPage(turn, user, card);
  if (viewId === undefined) return false;
  const result = await turn.actors.gate.slack.submitView({ user, viewId }).catch(() => undefined);
  return result?.ok === true;
}

export async function approvedWhole(turn: Turn, step: Propose): Promise<void> {
  const { slack } = turn.actors.gate;
  const { user } = PEOPLE.alice;
  const read = async (card: Card): Promise<boolean> => {
    const isDone = await readToItsEnd(turn, user, card);
    for (const { id } of slack.views(user)) await slack.closeView({ user, viewId: id }).catch(() => undefined);
    return isDone;
  };
  const pid = turn.actors.pid(step);
  noteVote(turn, step, 'alice', false, (await waiting(pid)).approval);
  const card = await placeOf(pid);
  await untilCounted(pid, 'alice', () => read(card));
  await woken(turn, step);
}

/** Nothing waits for the answer any more: the reconciler decides about what lies in the bucket. */
export const largeUnheard: Scene = async (turn) => {
  const step = await proposed(turn, { agent: ASKS, tool: 'Push', large: true });
  const pid = turn.actors.pid(step);
  const card = await placeOf(pid);
  await asleepForEver(pid);
  noteVote(turn, step, 'alice', false, (await waiting(pid)).approval);
  await turn.killedAt(VOTED, () => inTurn('alice', () => readToItsEnd(turn, PEOPLE.alice.user, card)));
  // A vote that stands is no question any more: the reconciler decides, however often its processes end.
  const { approval } = (await approvalOf(pid).catch(() => undefined)) ?? {};
  if (approval?.votes.length) await woken(turn, step);
  else await approvedWhole(turn, step);
};

export async function approvedForSession(turn: Turn, step: Propose): Promise<void> {
  const pid = turn.actors.pid(step);
  noteVote(turn, step, 'bob', true, (await waiting(pid)).approval);
  const scope = { action: ACTIONS.session, form: VIEWS.session, field: SCOPE, value: 'session' };
  await answeredBy(turn, pid, { who: 'bob', ...scope });
  await woken(turn, step);
}

/** The same call comes again, and nobody is asked. */
export const remembered: Scene = async (turn) => {
  const { actors } = turn;
  const step = await proposed(turn, { agent: 'seller', tool: 'Ship' });
  await approvedForSession(turn, step);
  const again: Propose = { ...step, id: `${turn.id}r` };
  await actors.propose(again);
  await woken(turn, again);
};

/** The simulator's agents ask no questions: the judge reads only that nothing is left of it. */
export const inputAsked: Scene = async (turn) => {
  const { actors } = turn;
  const asked = { id: `${turn.id}q`, agent: ASKS };
  await actors
    .agent(ASKS)
    .send(JSON.stringify({ kind: 'input-request', proposalId: asked.id, question: `which of ${turn.id}?` }));
  const pid = actors.pid(asked);
  await waiting(pid);
  const words = { action: ACTIONS.respond, form: VIEWS.respond, field: ANSWER, value: 'the first' };
  await answeredBy(turn, pid, { who: 'alice', ...words });
  await woken(turn, asked);
};

export const passedOn: Scene = async (turn) => {
  const { actors } = turn;
  const step = await proposed(turn, { agent: ASKS, tool: 'Push' });
  const pid = actors.pid(step);
  await waiting(pid);
  const to = { action: ACTIONS.pass, form: VIEWS.pass, field: PERSON, value: PEOPLE.carol.user };
  await answeredBy(turn, pid, { who: 'alice', ...to });
  await actors.click({ id: step.id, who: 'carol', choice: 'approve' });
  await woken(turn, step);
};
