/** Leaves the gate's rows as a process that ended, or an outage, would: with root's credentials. */
import { type AttributeValue, DeleteItemCommand, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { QUIET_MS } from '../../../shared/adapters/dynamodb/approvals/waiting-slots.ts';
import {
  approvalKey,
  fromItem,
  permitKey,
  toItem,
  tokenKey,
  waitingKey,
} from '../../../shared/adapters/dynamodb/items.ts';
import { lookOf } from '../../../shared/adapters/dynamodb/reconcile-index.ts';
import { CLOSED } from '../../../shared/guardrails/limits/circuit-breaker.ts';
import { circuitKey } from '../../../shared/guardrails/settings/keys.ts';
import type { CircuitRow } from '../../../shared/ports/stores/guardrail-state.ts';
import { e2eGate } from '../gate.ts';
import { stopped } from './executions.ts';
import { approvalOf } from './rows.ts';

type Key = Record<string, AttributeValue>;

const LONG_AGO_MS = 5 * 60_000;

export async function rowAt(Key: Key): Promise<Record<string, unknown> | undefined> {
  const { root, outputs } = await e2eGate();
  const get = new GetItemCommand({ TableName: outputs.StateTable, Key, ConsistentRead: true });
  const { Item: item } = await root.dynamodb.send(get);
  return item && fromItem(item);
}

async function set(
  Key: Key,
  UpdateExpression: string,
  values: Record<string, unknown>,
  names?: Record<string, string>,
): Promise<void> {
  const { root, outputs } = await e2eGate();
  const of = names ? { ExpressionAttributeNames: names } : {};
  const update = { TableName: outputs.StateTable, Key, UpdateExpression, ...of };
  await root.dynamodb.send(new UpdateItemCommand({ ...update, ExpressionAttributeValues: toItem(values) }));
}

async function remove(Key: Key): Promise<void> {
  const { root, outputs } = await e2eGate();
  await root.dynamodb.send(new DeleteItemCommand({ TableName: outputs.StateTable, Key }));
}

const approvalRow = (pid: string): Key => approvalKey(pid, 'row');

/** Whether the reconciler has to look at the approval some time. */
export const isLookedAfter = async (pid: string): Promise<boolean> =>
  (await rowAt(approvalRow(pid)))?.['look'] !== undefined;

/** The execution has ended, or its token was never stored: nothing wakes it any more. */
export async function asleepForEver(pid: string): Promise<void> {
  await stopped(pid);
  await remove(tokenKey(pid));
}

/** As where `slack-out` ended before it noted what it had posted. */
export async function cardsForgotten(pid: string): Promise<void> {
  const { cards = [] } = (await approvalOf(pid)) ?? {};
  await Promise.all(cards.map(({ channel, ts }) => remove(approvalKey(pid, `card#${channel}#${ts}`))));
}

/** As where the process that decided it ended before everybody was told. */
export async function neverTold(pid: string): Promise<void> {
  const { look, lookAt } = lookOf('approvals', Date.now() - 1, pid);
  await set(approvalRow(pid), 'SET look = :look, lookAt = :at REMOVE told', { ':look': look, ':at': lookAt });
}

/** People were asked so much earlier, by the index; time has done nothing yet. */
export async function askedEarlier(pid: string, ms: number): Promise<void> {
  const { counted = '' } = (await rowAt(approvalRow(pid))) ?? {};
  const [agent, group, since] = String(counted).split('#');
  await set(approvalRow(pid), 'SET counted = :counted', { ':counted': `${agent}#${group}#${Number(since) - ms}` });
}

/** A version that this one cannot read, or a slip of somebody's hand. */
export const damaged = (pid: string): Promise<void> =>
  set(approvalRow(pid), 'SET approval.question = :none', { ':none': 7 });

/** Somebody wrote another person into the row as its first voter. */
export const forged = (pid: string, user: string): Promise<void> =>
  set(approvalRow(pid), 'SET approval.votes[0].#by.#user = :user', { ':user': user }, { '#by': 'by', '#user': 'user' });

/** A due approval and a due permit of nothing. */
export async function orphaned(id: string): Promise<void> {
  const pid = Buffer.from(id).toString('hex').padStart(64, '0');
  for (const [kind, key] of [['approvals', approvalRow(pid)] as const, ['permits', permitKey(pid, 'call')] as const]) {
    const { look, lookAt } = lookOf(kind, Date.now() - 1, pid, ...(kind === 'permits' ? ['call'] : []));
    await set(key, 'SET look = :look, lookAt = :at', { ':look': look, ':at': lookAt });
  }
}

/** The permit's holder had to report by now. */
export async function permitOverdue(pid: string, callId = 'call'): Promise<void> {
  const key = permitKey(pid, callId);
  if (!(await rowAt(key))) return;
  const past = Date.now() - 1;
  const { look, lookAt } = lookOf('permits', past, pid, callId);
  const values = { ':past': past, ':look': look, ':at': lookAt };
  await set(key, 'SET permit.reportBy = :past, look = :look, lookAt = :at', values);
}

export const isPermitDue = async (pid: string, callId = 'call'): Promise<boolean> =>
  (await rowAt(permitKey(pid, callId)))?.['look'] !== undefined;

/** As processes leave it that took slots for questions and ended before they asked: so many are counted. */
export async function placesLost(agent: string, counted: number): Promise<void> {
  const values = { ':counted': counted, ':one': 1 };
  await set(waitingKey('agent', agent), 'SET waiting = :counted, changes = :one REMOVE off', values);
}

/** The reconciler has noticed it long ago, if it has. */
export const noticedLongAgo = (agent: string): Promise<void> => offLongAgo(waitingKey('agent', agent));

/** A counter that the reconciler noticed as wrong was so long ago. */
export async function offLongAgo(counter: Key): Promise<void> {
  const off = (await rowAt(counter))?.['off'];
  if (typeof off !== 'object') return;
  await set(counter, 'SET off = :off', { ':off': { ...off, at: Date.now() - QUIET_MS - LONG_AGO_MS } });
}

export const placesOf = async (agent: string): Promise<number> =>
  Number((await rowAt(waitingKey('agent', agent)))?.['waiting'] ?? 0);

const circuitRow = (toolName: string): Key => toItem({ pk: circuitKey({ origin: 'local', toolName }), sk: 'circuit' });

/** Calls that are to find out whether the tool works again. */
export async function probesOf(toolName: string): Promise<CircuitRow['probes'] | undefined> {
  const row = await rowAt(circuitRow(toolName));
  return (row?.['circuit'] as CircuitRow | undefined)?.probes;
}

/** The tool has failed, and the next call is to find out whether it works again. */
export async function breakerTries(toolName: string): Promise<void> {
  const now = Date.now();
  const circuit: CircuitRow = { ...CLOSED, state: 'half-open', epoch: now };
  await set(circuitRow(toolName), 'SET circuit = :circuit, version = :now', { ':circuit': circuit, ':now': now });
}
