/** Has an operator give orders of every kind, and answer in the place of a click. */
import { randomUUID } from 'node:crypto';
import { OPERATIONS, pidOfOperation } from '../../../shared/domain/record/operation-id.ts';
import { operatorNamed } from '../../e2e/harness/agents.ts';
import { recordsOf, waiting } from '../../e2e/harness/rows.ts';
import { until } from '../../e2e/harness/until.ts';
import { inputOf, type Propose } from '../../simulation/model/plan.ts';
import { OPERATOR_IS, PEOPLE } from '../../simulation/model/policies.ts';
import { approvedBy, proposed, type Scene, type Turn, WOKEN_MS, woken } from './scenes.ts';

const MINUTE_MS = 60_000;

/** Until the record says how it ended: orders of all scenes wait in one line, each as long as processes end at the one before. */
export async function ordered(
  order: Readonly<Record<string, unknown>>,
  operationId: string = randomUUID(),
): Promise<void> {
  const oncall = await operatorNamed('oncall');
  await oncall.say({ ...order, operationId });
  const isOnRecord = async () => (await recordsOf(OPERATIONS, pidOfOperation(operationId))).length > 0;
  await until(`an end of the order ${order['kind']}`, isOnRecord, WOKEN_MS);
}

/** Operators change a session that nobody uses, and people who take no part. */
export const orders: Scene = async ({ id }) => {
  const of = { agent: 'keeper', session: `s-${id}` };
  const rule = { ...of, effect: 'deny', pattern: 'Wipe' };
  const [from, until] = [-10 * MINUTE_MS, MINUTE_MS].map((ms) => new Date(Date.now() + ms).toISOString());
  for (const order of [
    { kind: 'set-mode', ...of, mode: 'plan' },
    { kind: 'set-mode', agent: 'keeper', mode: 'agent' },
    { kind: 'add-rule', ...rule },
    { kind: 'remove-rule', ...rule },
    { kind: 'revoke', ...of },
    { kind: 'revoke', agent: 'keeper', session: of.session, grant: '0123456789ab' },
    { kind: 'delegate', person: 'olga', to: 'carol', until },
    { kind: 'undelegate', person: 'olga' },
    { kind: 'replay', webhook: 'cancelled', from, until: new Date().toISOString() },
    { kind: 'redrive', queue: 'cards', limit: 1 },
    { kind: 'forget', person: 'U0NOBODY' },
    { kind: 'forget', person: PEOPLE.sam.user },
    { kind: 'pause', scope: { agent: 'nobody' }, effect: 'deny' },
  ])
    await ordered(order);
};

async function answered(
  turn: Turn,
  answer: Readonly<Record<string, unknown>>,
  { edit, tool = 'Push' }: { readonly edit?: number; readonly tool?: Propose['tool'] } = {},
): Promise<Propose> {
  const step = await proposed(turn, { agent: 'reader', tool });
  const { question } = (await waiting(turn.actors.pid(step))).approval;
  const operationId = randomUUID();
  turn.actors.history.votes.push({
    ...{ at: Date.now(), id: step.id, who: OPERATOR_IS, remember: false, requestId: operationId },
    ...(edit === undefined ? { choice: 'approve' } : { choice: 'edit', edit }),
    seen: question.kind === 'calls' ? question.calls.map(({ actionDigest }) => actionDigest) : [],
  });
  await ordered({ kind: 'decide', agent: step.agent, proposalId: step.id, ...answer }, operationId);
  return step;
}
export const operatorApproves: Scene = async (turn) => {
  await woken(turn, await answered(turn, { choice: 'approve' }));
};
export const operatorEdits: Scene = async (turn) => {
  const edit = turn.number + 1;
  await approvedBy(turn, await answered(turn, { choice: 'edit', input: inputOf(edit) }, { edit }), 'alice');
};
/** One of two who have to approve it: the card shows whose answer is wanted yet. */
export const operatorBegins: Scene = async (turn) => {
  await approvedBy(turn, await answered(turn, { choice: 'approve' }, { tool: 'Drop' }), 'alice');
};
