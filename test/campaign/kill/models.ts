/** Has models and people choose, in auto mode and by agent policies, and talks with a model in Slack. */
import { randomUUID } from 'node:crypto';
import { asleepForEver } from '../../e2e/harness/damage.ts';
import { type ChooserName, type FlowName, PILOT } from '../../simulation/model/policies.ts';
import { cardsThatAsk, clickAs } from '../people.ts';
import { VOTED } from './awaits.ts';
import { approvedBy, proposed, type Scene, saidTo, woken } from './scenes.ts';

const VOTED_MS = 120_000;
const CHOOSES = 'seller';
const actionOf = (flow: FlowName) => ({ flow_id: flow, persona_id: 'ops' });

/** A model is asked, does not know, and so people are. */
export const piloted: Scene = async (turn) => {
  await approvedBy(turn, await proposed(turn, { agent: PILOT, tool: 'Push', copies: [2_000] }), 'alice');
};

/** The first flow is chosen, and where the policy wants it a person says yes to it. */
const chosen =
  (policy: ChooserName, flows: readonly FlowName[], isAsked: boolean, isAsleep = false): Scene =>
  async (turn) => {
    const { actors, id } = turn;
    const actionSpace = { persona_id: 'ops', actions: flows.map(actionOf), current_verdicts: [], blocked_actions: [] };
    const snapshot = { facts: { prefers: flows, garbles: 1 }, entity_states: {}, observed_at: '2026-01-01T00:00:00Z' };
    const raw = JSON.stringify({ kind: 'action-choice', proposalId: id, policy, actionSpace, snapshot });
    const choice = { do: 'choose', at: 0, agent: CHOOSES, id, policy, flows, copies: [] } as const;
    actors.history.choices.push({ ...choice, sentAt: Date.now() });
    await actors.agent(CHOOSES).send(raw);
    const pid = actors.pid(choice);
    for (const until = Date.now() + VOTED_MS; isAsked && Date.now() < until; ) {
      if (await actors.decisionOf(choice, 2_000)) break;
      const shown = (await cardsThatAsk(pid)).at(-1);
      if (!shown) continue;
      if (isAsleep) await asleepForEver(pid);
      const vote = {
        at: Date.now(),
        id,
        who: 'alice',
        choice: 'approve',
        remember: false,
        seen: [],
        requestId: '',
      } as const;
      let told: string | undefined;
      const click = async () => {
        told = await clickAs('alice', shown, { choice: 'approve' }).catch(() => undefined);
      };
      await (isAsleep ? turn.killedAt({ ...VOTED, about: pid }, click) : click());
      actors.history.votes.push({
        ...vote,
        flow: flows[0],
        ...(told === undefined ? {} : { told, toldAt: Date.now() }),
      });
      if (told === 'counted' || isAsleep) break;
    }
    await woken(turn, choice);
  };
export const chosenFirst = chosen('first', ['update', 'release'], false);
export const chosenByModel = chosen('model', ['release', 'update'], false);
export const chosenByPerson = chosen('person', ['cancel', 'update'], true);
export const chosenAtRisk = chosen('risky', ['release', 'update'], true);
/** No execution waits for the answer: the reconciler chooses. */
export const choiceUnheard = chosen('person', ['cancel', 'update'], true, true);
export const riskUnheard = chosen('risky', ['release', 'update'], true, true);

/** The words say themselves what their reader answers. */
export const talkedFreely: Scene = async (turn) => {
  const { id } = turn;
  const does = [
    { intent_type: 'CREATE_TASK', confidence: 0.95, extracted_params: { description: id } },
    { intent_type: 'CONFIRM_YES', confidence: 1 },
    'no JSON at all',
  ];
  for (const [place, answer] of does.entries())
    await saidTo(turn, `zork says ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`, place);
};

/** An agent speaks to the task agent over its queue, and a copy of its message comes. */
export const taskAsked: Scene = async ({ actors, id }) => {
  const context = { user_id: `u-${id}`, conversation_id: randomUUID() };
  const agent = actors.agent(CHOOSES);
  for (const [place, message] of [`todo: ${id}`, `delete ${id}`, 'yes', 'who are you?'].entries()) {
    const one = { id: `${id}-${place}`, agent: CHOOSES };
    const raw = JSON.stringify({ kind: 'task-message', proposalId: one.id, context: { ...context, message } });
    for (let copy = 0; copy < 2; copy++) await agent.send(raw);
    await actors.decisionOf(one, 30_000);
  }
};
