/** Moves the times in a row back by minutes, and calls the reconciler as its schedule would. */
import { setTimeout as delay } from 'node:timers/promises';
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { approvalKey, fromItem, toItem } from '../../../shared/adapters/dynamodb/items.ts';
import { dueAtOf, lookOf } from '../../../shared/adapters/dynamodb/reconcile-index.ts';
import { e2eGate } from '../gate.ts';
import { invoke } from './functions.ts';

/** A card is known a moment before `slack-out` says when its row is looked at next. */
const STILL_MS = 500;
const TRIES = 20;

/** The reconciler meets these approvals now, as if the time that they were given had come. */
export async function reconcileNow(...pids: readonly string[]): Promise<void> {
  await Promise.all(pids.map(dueNow));
  const { error } = await invoke('reconcile', {});
  if (error) throw new Error(`the reconciler failed: ${error}`);
}

async function dueNow(pid: string): Promise<void> {
  for (let tried = 0; tried < TRIES; tried++) {
    const past = Date.now() - 1;
    if (!(await makeDue(pid, past))) return;
    await delay(STILL_MS);
    if ((await dueAt(pid)) === past) break;
  }
}

/** The current stage has been asked for so long; what time does then is done (A9). */
export async function waitedFor(pid: string, ms: number): Promise<void> {
  await set(pid, 'SET approval.stageSince = :since', { ':since': new Date(Date.now() - ms).toISOString() });
  await reconcileNow(pid);
}

/** The row ended so many milliseconds earlier. */
export async function endedEarlier(pid: string, endedAt: string, ms: number): Promise<void> {
  const earlier = new Date(Date.parse(endedAt) - ms).toISOString();
  await set(pid, 'SET approval.endedAt = :earlier', { ':earlier': earlier });
}

/** A row of the previous release stands in its index until it changes. False where nobody is asked yet. */
async function makeDue(pid: string, past: number): Promise<boolean> {
  const { lookAt, approval } = await rowOf(pid);
  if (approval === undefined) return false;
  if (lookAt === undefined) await set(pid, 'SET dueAt = :past', { ':past': past });
  else await set(pid, 'SET lookAt = :at', { ':at': lookOf('approvals', past, pid).lookAt });
  return true;
}

async function dueAt(pid: string): Promise<number> {
  const { lookAt, dueAt: unsharded } = await rowOf(pid);
  return lookAt === undefined ? Number(unsharded) : dueAtOf(lookAt);
}

async function rowOf(pid: string): Promise<Record<string, unknown>> {
  const { root, outputs } = await e2eGate();
  const get = new GetItemCommand({ TableName: outputs.StateTable, Key: approvalKey(pid, 'row'), ConsistentRead: true });
  const { Item: item } = await root.dynamodb.send(get);
  return item ? fromItem(item) : {};
}

async function set(pid: string, UpdateExpression: string, values: Record<string, unknown>): Promise<void> {
  const { root, outputs } = await e2eGate();
  await root.dynamodb.send(
    new UpdateItemCommand({
      TableName: outputs.StateTable,
      Key: approvalKey(pid, 'row'),
      UpdateExpression,
      // A row that this made would keep its approval from ever being opened.
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: toItem(values),
    }),
  );
}
