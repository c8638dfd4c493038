/**
 * Counts the questions that wait for people, by agent and by group.
 *
 * The counters are written outside of the transactions that open approvals. Within them, all asks of a group would
 * compete for one item, and at 200 a second half of them would fail. A process that stops between the two writes leaves a
 * wrong counter, which `recountWaiting` corrects.
 */
import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  paginateQuery,
  TransactionConflictException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { REQUESTER } from '../../../config/schema/defaults.ts';
import { batchGet } from '../batch-get.ts';
import { DUE_INDEX, fromItem, type Item, PREFIX, toItem, waitingKey } from '../items.ts';
import { dueAtOf, LOOK_INDEX, lookPartitions, readCounted, UNSHARDED } from '../reconcile-index.ts';
import { pauseOf } from '../retry-pause.ts';

type Kind = 'agent' | 'group';

interface WaitingSlot {
  readonly kind: Kind;
  readonly name: string;
}

/** A process of the previous release counts within its transactions: an update that meets one is tried again. */
const MAX_TRIES = 6;

/** Counts one more of each, or none: then the kind that has no room is returned. */
export async function takeSlots(
  client: DynamoDBClient,
  table: string,
  slots: readonly (WaitingSlot & { readonly most: number })[],
): Promise<Kind | undefined> {
  const taken = await Promise.allSettled(
    slots.map(({ kind, name, most }) =>
      count(client, table, waitingKey(kind, name), 1, 'attribute_not_exists(waiting) OR waiting < :most', most),
    ),
  );
  const isTaken = (index: number): boolean => {
    const result = taken[index];
    return result?.status === 'fulfilled' && result.value;
  };
  if (slots.every((_, index) => isTaken(index))) return undefined;
  await freeSlots(
    client,
    table,
    slots.filter((_, index) => isTaken(index)),
  );
  for (const result of taken) if (result.status === 'rejected') throw result.reason;
  return slots.find((_, index) => !isTaken(index))?.kind;
}

/**
 * Never rejects: what waits no more must not fail for its counter. Each time is counted once, though the SDK sends a write again whose answer
 * was lost: a counter that is too low lets more wait than may. One that is too high, by a place that was taken twice, does not.
 */
export async function freeSlots(client: DynamoDBClient, table: string, slots: readonly WaitingSlot[]): Promise<void> {
  await Promise.allSettled(slots.map(({ kind, name }) => count(client, table, waitingKey(kind, name), -1, NOT_YET)));
}

/** Unless the last place that was freed is this one. */
const NOT_YET = 'attribute_not_exists(freed) OR freed <> :freed';

/** False if the condition does not hold. */
async function count(
  client: DynamoDBClient,
  TableName: string,
  Key: Item,
  more: 1 | -1,
  condition?: string,
  most?: number,
): Promise<boolean> {
  const freed = more === -1 ? randomUUID() : undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(
        new UpdateItemCommand({
          TableName,
          Key,
          UpdateExpression: `${freed === undefined ? '' : 'SET freed = :freed '}ADD waiting :more, changes :one`,
          ExpressionAttributeValues: toItem({ ':more': more, ':one': 1, ':most': most, ':freed': freed }),
          ...(condition ? { ConditionExpression: condition } : {}),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      if (!(error instanceof TransactionConflictException) || attempt === MAX_TRIES) throw error;
      await pauseOf(client)(attempt);
    }
  }
}

interface Waiting {
  /** Ended ones are among them for as long as somebody still has to be told. */
  readonly rows: number;
  /** Counters that were set right. */
  readonly corrected: number;
  /** When the oldest question of each group was asked, in milliseconds since 1970. */
  readonly oldest: ReadonlyMap<string, number>;
  /** Approvals that are looked at soon, the oldest first. One without a card is always among them, one with a card seldom. */
  readonly soon: readonly { readonly pid: string; readonly since: number }[];
  /** Approvals that count under none of the groups: the policy file had another one when they were asked. */
  readonly strays: readonly string[];
  /** All others: the policy file has the group that their first stage asks. */
  readonly listed: readonly string[];
}

/** A row without a card is looked at again within an hour at most. */
const SOON_MS = 60 * 60_000;

/**
 * Counts the waiting rows of the index, for the dashboard, and corrects a counter that was wrong and did not change for `QUIET_MS`. An ask
 * in flight is counted before it has a row, and the index is a little late. Rows that are older than these counters are in no counter:
 * while the index holds one, nothing is corrected. `now`: milliseconds since 1970.
 */
export async function recountWaiting(
  client: DynamoDBClient,
  table: string,
  names: { readonly agents: readonly string[]; readonly groups: readonly string[] },
  now: number,
): Promise<Waiting> {
  const found = await listWaiting(client, table, now);
  const { rows, oldest, counted, unknown } = found;
  const known = new Set([...names.groups, REQUESTER]);
  const pidsOf = (isListed: boolean) =>
    [...found.byGroup].flatMap(([group, pids]) => (known.has(group) === isListed ? pids : []));
  const soon = found.soon.toSorted((a, b) => a.since - b.since);
  const waiting = { rows, oldest, soon, strays: pidsOf(false), listed: pidsOf(true) };
  if (unknown) return { ...waiting, corrected: 0 };
  const slots: WaitingSlot[] = [
    ...names.agents.map((name) => ({ kind: 'agent' as const, name })),
    ...names.groups.map((name) => ({ kind: 'group' as const, name })),
  ];
  let corrected = 0;
  for (let from = 0; from < slots.length; from += MAX_KEYS) {
    const page = slots.slice(from, from + MAX_KEYS);
    const read = await batchGet(client, { [table]: { Keys: page.map(({ kind, name }) => waitingKey(kind, name)) } });
    for (const item of read.get(table) ?? []) {
      const { pk, ...counter } = fromItem(item) as { pk: string } & Pick<Counter, keyof Counter>;
      const excess = (counter.waiting ?? 0) - (counted.get(pk.slice(PREFIX.waiting.length)) ?? 0);
      if (await correct(client, table, item, counter, excess, now)) corrected += 1;
    }
  }
  return { ...waiting, corrected };
}

async function listWaiting(client: DynamoDBClient, table: string, now: number): Promise<Listing> {
  const listing = new Listing(now);
  const list = async (IndexName: string, key: 'look' | 'due', partition: string) => {
    const query = {
      TableName: table,
      IndexName,
      KeyConditionExpression: `${key} = :partition`,
      ExpressionAttributeValues: toItem({ ':partition': partition }),
      ProjectionExpression: 'pk, lookAt, counted',
    };
    for await (const { Items: items = [] } of paginateQuery({ client }, query))
      items.forEach((item) => void listing.add(item));
  };
  await Promise.all([
    ...lookPartitions('approvals').map((partition) => list(LOOK_INDEX, 'look', partition)),
    list(DUE_INDEX, 'due', UNSHARDED.approvals),
  ]);
  return listing;
}

/** The rows of the index, as one look finds them. */
class Listing {
  rows = 0;
  /** Rows of before there were counters. */
  unknown = 0;
  readonly counted = new Map<string, number>();
  readonly oldest = new Map<string, number>();
  readonly soon: { readonly pid: string; readonly since: number }[] = [];
  readonly byGroup = new Map<string, string[]>();
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  add({ pk, lookAt, counted }: Item): void {
    this.rows += 1;
    if (counted?.S === undefined) this.unknown += 1;
    const slots = readCounted(counted?.S);
    if (!slots) return;
    for (const kind of ['agent', 'group'] as const) {
      const key = `${kind}#${slots[kind]}`;
      this.counted.set(key, (this.counted.get(key) ?? 0) + 1);
    }
    const { group, since } = slots;
    const id = (pk?.S ?? '').slice(PREFIX.approval.length);
    const others = this.byGroup.get(group);
    if (others) others.push(id);
    else this.byGroup.set(group, [id]);
    if (since === undefined) return;
    this.oldest.set(group, Math.min(since, this.oldest.get(group) ?? since));
    if (dueAtOf(lookAt?.S) <= this.#now + SOON_MS) this.soon.push({ pid: id, since });
  }
}

/** As many keys as one request reads. */
const MAX_KEYS = 100;

/** No function that opens or ends an approval runs for so long: all that was in flight before is in a row by then, or is lost. */
export const QUIET_MS = 3 * 60_000;

interface Counter {
  readonly waiting?: number;
  /** How often something was counted; absent in a counter of before. */
  readonly changes?: number;
  /** By how much it was too high at a look, and what it was then; the release before noted a number only. */
  readonly off?: Look | number;
}

interface Look {
  readonly excess: number;
  readonly waiting: number;
  readonly changes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** `excess`: by how much the counter is too high now. True: it was set right. */
async function correct(
  client: DynamoDBClient,
  table: string,
  { pk, sk }: Item,
  { waiting = 0, changes = 0, off }: Counter,
  excess: number,
  now: number,
): Promise<boolean> {
  const known = typeof off === 'object' && off.waiting === waiting && off.changes === changes ? off : undefined;
  const steady = known && Math.sign(excess) === Math.sign(known.excess) ? nearer(excess, known.excess) : 0;
  if (known && steady !== 0 && now - known.at < QUIET_MS) return false;
  if (excess === 0 && off === undefined) return false;
  const look: Look = { excess, waiting, changes, at: now };
  const update =
    steady !== 0
      ? { expression: 'ADD waiting :less REMOVE off', values: { ':less': -steady } }
      : excess === 0
        ? { expression: 'REMOVE off', values: {} }
        : { expression: 'SET off = :off', values: { ':off': look } };
  try {
    await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: { ...(pk ? { pk } : {}), ...(sk ? { sk } : {}) },
        UpdateExpression: update.expression,
        ConditionExpression: off === undefined ? 'attribute_not_exists(off)' : 'off = :was',
        ...valuesOf({ ...update.values, ':was': off }),
      }),
    );
    return steady !== 0;
  } catch (error) {
    // Another run of the reconciler was faster.
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

const nearer = (a: number, b: number): number => (Math.abs(a) < Math.abs(b) ? a : b);

/** DynamoDB refuses an empty map. */
function valuesOf(values: Record<string, unknown>): { readonly ExpressionAttributeValues?: Item } {
  const item = toItem(values);
  return Object.keys(item).length ? { ExpressionAttributeValues: item } : {};
}
