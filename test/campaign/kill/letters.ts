/** Puts messages among the dead letters of their queue, as their sender's, until each is answered. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { OPERATIONS, pidOfOperation } from '../../../shared/domain/record/operation-id.ts';
import type { DeferredMessage, HandedOver } from '../../../shared/ports/stores/outbox.ts';
import { operatorNamed } from '../../e2e/harness/agents.ts';
import { deadLetterUrl, type QueueName } from '../../e2e/harness/resources.ts';
import { maySetAside, roleIdOf } from '../../e2e/harness/rights.ts';
import { recordsOf, waiting } from '../../e2e/harness/rows.ts';
import { until } from '../../e2e/harness/until.ts';
import { messageFor } from '../../simulation/actors/actors.ts';
import type { Propose } from '../../simulation/model/plan.ts';
import { HAS_QUEUE, REDEEMS } from '../gate.ts';
import { isDeadLetterFree } from '../record.ts';
import { BEGUN, TAKEN } from './awaits.ts';
import { repaired } from './reconciled.ts';
import { approvedBy, decided, messageSaid, proposed, type Scene, saidTo, stepOf, type Turn } from './scenes.ts';

/** Letters that a process was killed at come again within seconds; a fault takes a minute. */
const ANSWERED_MS = 90_000;
const LOOK_MS = 1_000;

const roleOf = (agent: string): string => (agent === HAS_QUEUE ? 'listener' : agent);

/** As the queue would set it aside: SQS goes on naming the sender. */
async function setAside({ actors }: Turn, queue: QueueName, agent: string, message: unknown): Promise<void> {
  const MessageBody = typeof message === 'string' ? message : JSON.stringify(message);
  await maySetAside(actors.gate.outputs[`AgentRole${roleOf(agent)}Arn`] ?? '', queue);
  const QueueUrl = await deadLetterUrl(queue);
  await actors.agent(agent).sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: agent }));
}

/** By somebody whom the answer does not depend on. */
async function laidAside(turn: Turn, queue: QueueName, message: unknown): Promise<void> {
  const line = queue === 'Talk' ? { MessageGroupId: turn.id, MessageDeduplicationId: randomUUID() } : {};
  const MessageBody = typeof message === 'string' ? message : JSON.stringify(message);
  const QueueUrl = await deadLetterUrl(queue);
  await turn.actors.gate.root.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...line }));
}

const answered = ({ actors }: Turn, queue: QueueName): Promise<boolean> =>
  until(
    `answers to the dead letters of ${queue}`,
    async () => (await isDeadLetterFree(actors, queue)) || delay(LOOK_MS, false),
    ANSWERED_MS,
  );

type Wanted = Parameters<typeof stepOf>[1];

/** The proposal itself is set aside: it never came to the gate otherwise. */
async function proposalAside(turn: Turn, wanted: Wanted): Promise<Propose> {
  const step = stepOf(turn, wanted);
  const sentAt = Date.now();
  const raw = messageFor(step, step.number, sentAt);
  const { actors } = turn;
  actors.raw.set(step.id, raw);
  actors.history.sent.push({ ...step, sentAt });
  actors.history.givenUp.add(step.id);
  await setAside(turn, 'Proposals', step.agent, raw);
  return step;
}

const rawOf = ({ actors }: Turn, { id }: Propose): string => actors.raw.get(id) ?? '';

export const proposalDead: Scene = async (turn) => {
  await decided(turn, await proposalAside(turn, { agent: HAS_QUEUE, tool: 'Look' }));
  await answered(turn, 'Proposals');
};
export const spoiltDead: Scene = async (turn) => {
  await decided(turn, await proposalAside(turn, { agent: 'writer', tool: 'Look', spoilt: 'no id' }));
  await answered(turn, 'Proposals');
};
/** A copy of what was decided, of what waits, and of what another call stands under the id of. */
export const decidedDead: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Look' });
  await decided(turn, step);
  await setAside(turn, 'Proposals', HAS_QUEUE, rawOf(turn, step));
  turn.actors.history.lied.add(step.id);
  await setAside(turn, 'Proposals', HAS_QUEUE, messageFor(step, step.number + 1, Date.now()));
  await answered(turn, 'Proposals');
};
export const waitingDead: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' });
  await waiting(turn.actors.pid(step));
  await setAside(turn, 'Proposals', HAS_QUEUE, rawOf(turn, step));
  await answered(turn, 'Proposals');
  await approvedBy(turn, step, 'alice');
  await setAside(turn, 'Proposals', HAS_QUEUE, rawOf(turn, step));
  await answered(turn, 'Proposals');
};
const cancelOf = ({ id }: Pick<Turn, 'id'>): string =>
  JSON.stringify({ kind: 'cancel', proposalId: `cancel-${id}-${randomUUID()}`, cancels: id });
export const cancelDead: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' });
  await waiting(turn.actors.pid(step));
  turn.actors.history.withdrawn.push({ at: Date.now(), id: turn.id });
  const cancel = cancelOf(turn);
  for (let time = 0; time < 2; time++) await setAside(turn, 'Proposals', HAS_QUEUE, cancel);
  await decided(turn, step);
  await answered(turn, 'Proposals');
};
export const cancelOvertakes: Scene = async (turn) => {
  turn.actors.history.withdrawn.push({ at: Date.now(), id: turn.id });
  await setAside(turn, 'Proposals', HAS_QUEUE, cancelOf(turn));
  await answered(turn, 'Proposals');
  await decided(turn, await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' }));
};

/** A message that waited for a store, or for a model, and never had it. */
async function deferredAside(turn: Turn, wanted: Wanted): Promise<Propose> {
  const { actors } = turn;
  const step = stepOf(turn, wanted);
  const sentAt = Date.now();
  const raw = messageFor(step, step.number, sentAt);
  actors.raw.set(step.id, raw);
  actors.history.sent.push({ ...step, sentAt });
  actors.history.givenUp.add(step.id);
  const principal = `${await roleIdOf(actors.gate.outputs[`AgentRole${roleOf(step.agent)}Arn`] ?? '')}:campaign`;
  const wrapper: DeferredMessage = { principal, firstSentAt: sentAt, messageId: randomUUID(), rounds: 1, raw };
  await laidAside(turn, 'Deferred', wrapper);
  return step;
}
export const deferredDead: Scene = async (turn) => {
  await decided(turn, await deferredAside(turn, { agent: HAS_QUEUE, tool: 'Push' }));
  await laidAside(turn, 'Deferred', `no wrapper ${turn.id}`);
  await answered(turn, 'Deferred');
};
export const handedOverDead: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const handedOver: HandedOver = { handedOver: turn.actors.pid(step) };
  await waiting(handedOver.handedOver);
  await laidAside(turn, 'Deferred', handedOver);
  await answered(turn, 'Deferred');
  await approvedBy(turn, step, 'alice');
};

async function requestOf(turn: Turn, agent: string, tool: Propose['tool']) {
  const step = await proposed(turn, { agent, tool });
  const decision = await decided(turn, step);
  const [call] = decision?.calls ?? [];
  if (!decision || !call?.permit) return undefined;
  const { permitId } = call.permit;
  const request = { proposalId: step.id, callId: call.id, permitId, toolName: tool, input: { number: step.number } };
  return { step, decision, request };
}
/** The agent asks again under another id, as the answer tells. */
export const runDead: Scene = async (turn) => {
  const asked = await requestOf(turn, 'writer', 'Look');
  if (!asked) return;
  const { step, decision, request } = asked;
  for (let time = 0; time < 2; time++)
    await setAside(turn, 'Executions', 'writer', { ...request, requestId: `${turn.id}:dead` });
  await setAside(turn, 'Executions', 'writer', `no request ${turn.id}`);
  await answered(turn, 'Executions');
  await turn.actors.run(step, decision, 'gate');
  await delay(4_000);
  await setAside(turn, 'Executions', 'writer', { ...request, requestId: `${turn.id}:late` });
  await answered(turn, 'Executions');
};
/** Somebody holds the permit under the request that is set aside. */
const heldDead =
  (door: typeof TAKEN): Scene =>
  async (turn) => {
    const asked = await requestOf(turn, 'writer', 'Look');
    if (!asked) return;
    const { step, decision, request } = asked;
    await turn.killedAt({ ...door, about: turn.id }, () => turn.actors.run(step, decision, 'gate'));
    await setAside(turn, 'Executions', 'writer', { ...request, requestId: `${turn.id}:run` });
    await answered(turn, 'Executions');
    await repaired(turn.actors.pid(step));
  };
export const takenDead = heldDead(TAKEN);
export const begunDead = heldDead(BEGUN);

export const outcomeDead: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Look' });
  const decision = await decided(turn, step);
  const redeemed = decision && (await turn.actors.redeem(step, decision));
  if (!redeemed) return;
  const { outcome } = redeemed;
  for (const report of [outcome, { ...outcome, status: 'failed' }, `no report ${turn.id}`, outcome])
    await setAside(turn, 'Outcomes', REDEEMS, report);
  await answered(turn, 'Outcomes');
};

/** Nothing is done: the pause never holds, and the record says under its id that it was refused. */
export const operationDead: Scene = async (turn) => {
  const { actors, id } = turn;
  await maySetAside(actors.gate.outputs['OperatorRoleoncallArn'] ?? '', 'Operators');
  const oncall = await operatorNamed('oncall', await deadLetterUrl('Operators'));
  const operationId = `${id}-${randomUUID()}`;
  await oncall.say({ kind: 'pause', operationId, scope: { agent: 'keeper' }, effect: 'deny' });
  await oncall.say({ kind: 'forget', operationId: `${operationId}-f`, person: 'U0NOBODY' });
  await oncall.say({ kind: 'no operation', operationId: `${operationId}-x` });
  await answered(turn, 'Operators');
  const [record] = await recordsOf(OPERATIONS, pidOfOperation(operationId));
  if (record?.entry.reasonCode !== 'dead_letter' || record.entry.accepted !== false)
    actors.history.overwritten.push(`of the operation ${operationId}, which was set aside`);
};

/** A message to the task agent: somebody is told that it has no answer, unless they have one. */
export const talkDead: Scene = async (turn) => {
  await saidTo(turn, `todo: ${turn.id}`);
  await laidAside(turn, 'Talk', messageSaid(turn, `todo: ${turn.id}`));
  const unheard = messageSaid(turn, `todo: ${turn.id}b`, 1);
  await laidAside(turn, 'Talk', unheard);
  const { text: _, ...button } = unheard;
  await laidAside(turn, 'Talk', { ...button, kind: 'button', choice: 'yes', asks: '0'.repeat(64), isOwn: true });
  await answered(turn, 'Talk');
};
