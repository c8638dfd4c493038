/** Has people answer by the forms behind a card's buttons: for a session, in words, by handing on. */
import { setTimeout as delay } from 'node:timers/promises';
import { ANSWER, type Field, PERSON, SCOPE, VIEWS } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { waiting } from '../../e2e/harness/rows.ts';
import { type Card, cardOf, choose } from '../../e2e/harness/slack.ts';
import type { Propose } from '../../simulation/plan.ts';
import { PEOPLE, type PersonName } from '../../simulation/policies.ts';
import { proposed, type Scene, type Turn, woken } from './scenes.ts';

const TRIES = 6;
const ASKS = 'reader';

interface Answer {
  readonly who: PersonName;
  readonly action: string;
  readonly form: string;
  readonly field: Field;
  readonly value: string;
}

/** Until the form is taken: a process that ends opens none, or takes none. */
async function answeredBy({ actors }: Turn, card: Card, { who, action, form, field, value }: Answer): Promise<void> {
  const { slack } = actors.gate;
  const { user } = PEOPLE[who];
  const click = () =>
    action === ACTIONS.respond ? slack.click({ user, ...card, actionId: action }) : choose(user, card, action);
  for (let tried = 0; tried < TRIES; tried++, await delay(500)) {
    await click().catch(() => undefined);
    const view = slack.views(user).findLast(({ content }) => content['callback_id'] === form);
    if (!view) continue;
    const values = { [field.block]: { [field.action]: value } };
    const result = await slack.submitView({ user, viewId: view.id, values }).catch(() => undefined);
    if (result?.ok) return;
    await slack.closeView({ user, viewId: view.id }).catch(() => undefined);
  }
}

const placeOf = async (pid: string): Promise<Card> => {
  const { channel, ts } = await cardOf(pid);
  return { channel, ts };
};

/** The same call comes again, and nobody is asked. */
export const remembered: Scene = async (turn) => {
  const { actors } = turn;
  const step = await proposed(turn, { agent: 'seller', tool: 'Ship' });
  const pid = actors.pid(step);
  const { question } = (await waiting(pid)).approval;
  actors.history.votes.push({
    ...{ at: Date.now(), id: step.id, who: 'bob', choice: 'approve', remember: true, requestId: '' },
    seen: question.kind === 'calls' ? question.calls.map(({ actionDigest }) => actionDigest) : [],
  });
  const scope = { action: ACTIONS.session, form: VIEWS.session, field: SCOPE, value: 'session' };
  await answeredBy(turn, await placeOf(pid), { who: 'bob', ...scope });
  await woken(turn, step);
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
  await answeredBy(turn, await placeOf(pid), { who: 'alice', ...words });
  await woken(turn, asked);
};

export const passedOn: Scene = async (turn) => {
  const { actors } = turn;
  const step = await proposed(turn, { agent: ASKS, tool: 'Push' });
  const pid = actors.pid(step);
  await waiting(pid);
  const to = { action: ACTIONS.pass, form: VIEWS.pass, field: PERSON, value: PEOPLE.carol.user };
  await answeredBy(turn, await placeOf(pid), { who: 'alice', ...to });
  await actors.click({ id: step.id, who: 'carol', choice: 'approve' });
  await woken(turn, step);
};
