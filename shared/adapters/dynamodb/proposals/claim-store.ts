/** Stores claims on DynamoDB: one conditional put, or one transaction when people are asked. */
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { quietUntil } from '../../../domain/approval/due.ts';
import { sha256Hex } from '../../../domain/digest.ts';
import {
  type Claim,
  type ClaimLimits,
  type ClaimResult,
  type ClaimStore,
  type ClaimVerdict,
  DEFAULT_LIMITS,
  mostWaiting,
  type Opening,
  type StoredClaim,
} from '../../../ports/stores/claim-store.ts';
import type { InputStore } from '../../../ports/stores/input-store.ts';
import { NO_WRITES, type SessionWrites } from '../../../ports/stores/session-store.ts';
import { freeSlots, takeSlots } from '../approvals/waiting-slots.ts';
import { auditPut } from '../audit/audit-item.ts';
import { withTextsStored } from '../audit/texts-stored.ts';
import { batchGet } from '../batch-get.ts';
import {
  approvalKey,
  auditPartition,
  fromItem,
  type Item,
  sameKey,
  type Tables,
  toItem,
  ttlAfter,
  waitingKey,
} from '../items.ts';
import { openingItems } from '../journal-store.ts';
import { approvalFields, bytesToHex, recordedDecision } from '../pack.ts';
import { countedOf, lookOf } from '../reconcile-index.ts';
import { pauseOf } from '../retry-pause.ts';
import { readTogether } from '../sessions/read-together.ts';
import { areUnchanged, putRecents, sessionWriteItems } from '../sessions/session-store.ts';
import { failed, transact } from '../transact.ts';

const MAX_SLOT_TRIES = 3;
/** Transactions in which identical calls may begin or end before this one asks alone. */
const MAX_SAME_TRIES = 6;

/** How a question comes to people: found by identical calls, asked by one of them, or neither (A24). */
type Way =
  | { readonly kind: 'alone' }
  /** `instead`: the approval that is pointed at now, and waits no more. */
  | { readonly kind: 'primary'; readonly key: string; readonly instead?: string }
  | { readonly kind: 'follow'; readonly key: string; readonly pid: string };

export function dynamoClaimStore(
  client: DynamoDBClient,
  tables: Tables,
  inputs: InputStore,
  limits: ClaimLimits = DEFAULT_LIMITS,
): ClaimStore {
  const textStored = async (claim: Claim): Promise<Claim> => {
    const { verdict, contentDigest, record } = claim;
    return { ...claim, record: await withTextsStored(record, inputs, { verdict, contentDigest }) };
  };
  const putOf = (claim: Claim) => {
    const { verdict, contentDigest, record } = claim;
    return {
      ...auditPut(tables, record, { verdict, contentDigest }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
  };

  return {
    async readBatch(keys, day, claimsRead) {
      const wanted = new Map(keys.map(({ agent, pid }) => [auditPartition(agent, pid), pid]));
      const { claimed, ...rows } = await readTogether(
        client,
        tables,
        {
          claims: [...wanted.keys()].map((pk) => toItem({ pk, sk: 'evaluated' })),
          claimsRead,
          sessions: keys.flatMap((key) => key.sessions ?? []),
        },
        day,
      );
      const claims = new Map<string, StoredClaim>();
      for (const item of claimed) {
        const pid = wanted.get(item['pk']?.S ?? '');
        if (pid) claims.set(pid, claimFromItem(item));
      }
      return { claims, ...rows };
    },

    async roomFor({ agent, group, same, now, limits: stated }) {
      const most = mostWaiting(stated, limits);
      const [pointer, ofAgent, ofGroup] = await Promise.all([
        same === undefined ? undefined : readRow(sameKey(same)),
        readRow(waitingKey('agent', agent)),
        readRow(waitingKey('group', group)),
      ]);
      const { pid, expiresAt } = pointer ?? {};
      if (typeof pid === 'string' && typeof expiresAt === 'number' && now < expiresAt && (await isPending(pid)))
        return 'same_waits';
      const isFull = Number(ofAgent?.['waiting'] ?? 0) >= most.agent || Number(ofGroup?.['waiting'] ?? 0) >= most.group;
      return isFull ? 'full' : 'free';
    },

    async claim(given, sessions = NO_WRITES) {
      const claim = await textStored(given);
      if (!(await areUnchanged(client, tables, sessions)))
        return (await laterThan(claim)) ?? { kind: 'session_changed' };
      const changes = sessionWriteItems(tables, sessions);
      if (changes.length) {
        const written = await transact(client, [{ Put: putOf(claim) }, ...changes]);
        if (!written.ok) return takenClaim(written.reasons) ?? { kind: 'session_changed' };
        await putRecents(client, tables, sessions);
        return { kind: 'claimed' };
      }
      try {
        await client.send(new PutItemCommand(putOf(claim)));
        await putRecents(client, tables, sessions);
        return { kind: 'claimed' };
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException && error.Item) {
          return { kind: 'exists', claim: claimFromItem(error.Item) };
        }
        throw error;
      }
    },

    async open(given, opening, sessions = NO_WRITES) {
      const claim = await textStored(given);
      if (!(await areUnchanged(client, tables, sessions)))
        return (await laterThan(claim)) ?? { kind: 'session_changed' };
      const proposal = await storeText(opening.proposal);
      const most = mostWaiting(opening.limits, limits);
      const slots = [
        { kind: 'agent', name: opening.approval.agent, most: most.agent },
        { kind: 'group', name: opening.group, most: most.group },
      ] as const;
      const expected = expectedWay(opening);
      for (let attempt = 1; ; attempt++) {
        const full = await takeSlots(client, tables.state, slots);
        if (!full) break;
        const earlier = await laterThan(claim);
        if (earlier) return earlier;
        // Copies of this proposal, and asks that come to nothing, hold places for as long as their transactions take.
        if (attempt === MAX_SLOT_TRIES) return { kind: 'too_many_waiting', limit: full };
        await pauseOf(client)(attempt);
      }
      const written = await write(claim, opening, proposal, sessions, await expected).catch(async (error: unknown) => {
        // Any other failure may have written the row all the same: then the place is its own, or is counted again.
        if (error instanceof TransactionCanceledException) await freeSlots(client, tables.state, slots);
        throw error;
      });
      await (written.kind === 'claimed'
        ? putRecents(client, tables, sessions)
        : freeSlots(client, tables.state, slots));
      return written;
    },
  };

  /** Asks by itself, or follows the identical call that waits: one of the two, whatever begins or ends meanwhile (A24). */
  async function write(
    claim: Claim,
    opening: Opening,
    proposal: Record<string, unknown>,
    sessions: SessionWrites,
    expected: Way,
  ): Promise<ClaimResult> {
    let way = expected;
    for (let attempt = 1; ; attempt++) {
      const own = ownWrites(claim, opening, proposal, way);
      const changes = sessionWriteItems(tables, sessions);
      const last = own.length + changes.length;
      const written = await transact(client, [...own, ...changes, ...sharedWrites(opening, way)]);
      if (written.ok) return { kind: 'claimed' };
      const earlier = takenClaim(written.reasons);
      if (earlier) return earlier;
      const broken = failed(written.reasons);
      if (!broken.includes(last)) {
        if (broken.some((index) => index >= own.length)) return { kind: 'session_changed' };
        throw new Error('a row of the approval is there already, and its claim is not');
      }
      way = await nextWay(way, written.reasons[last]?.Item, attempt);
    }
  }

  /** The rows of this proposal alone. */
  function ownWrites(claim: Claim, opening: Opening, proposal: Record<string, unknown>, way: Way): TransactWriteItem[] {
    const { approval, journal, sealed } = opening;
    const row = way.kind === 'follow' ? { ...approval, follows: way.pid } : approval;
    return [
      { Put: putOf(claim) },
      { Put: put(rowItem({ ...opening, approval: row })) },
      {
        Put: put({
          ...approvalKey(approval.pid, 'proposal'),
          ...toItem({ ...proposal, sealed, ...ttlAfter(approval.expiresAt) }),
        }),
      },
      ...openingItems(approval, journal).map((item) => ({ Put: put(item) })),
      ...(way.kind === 'follow' ? [waiterPut(way.pid, opening)] : []),
    ];
  }

  /** The row that identical calls share, if this one leads or follows. */
  function sharedWrites(opening: Opening, way: Way): TransactWriteItem[] {
    switch (way.kind) {
      case 'follow':
        return [stillPending(way.pid)];
      case 'primary':
        return [samePut(opening, way)];
      case 'alone':
        return [];
      default:
        return way satisfies never;
    }
  }

  /**
   * The way that the rows show before the transaction, which alone tells. A transaction that fails is paid for whole, and these reads are a
   * fraction of that. Never rejects: rows that cannot be read are for the transaction to find.
   */
  async function expectedWay({ same: key, approval }: Opening): Promise<Way> {
    if (key === undefined) return { kind: 'alone' };
    const { pid, expiresAt } = (await readRow(sameKey(key)).catch(() => undefined)) ?? {};
    const isOver = typeof expiresAt !== 'number' || expiresAt <= Date.parse(approval.requestedAt);
    // A copy of this very proposal may have opened it: the transaction finds the claim, and nobody follows themselves.
    if (typeof pid !== 'string' || pid === approval.pid || isOver) return { kind: 'primary', key };
    return wayBeside(key, pid);
  }

  /** The call that the pointer names waits no more, or the pointer names another one now. */
  async function nextWay(way: Way, pointer: Item | undefined, attempt: number): Promise<Way> {
    if (attempt >= MAX_SAME_TRIES || way.kind === 'alone') return { kind: 'alone' };
    const { kind, key } = way;
    if (kind === 'follow') return { kind: 'primary', key, instead: way.pid };
    if (!pointer) return { kind: 'alone' };
    return wayBeside(key, String(fromItem(pointer)['pid']));
  }

  /** Beside the call that the pointer names. Where its row cannot be read the transaction tells: a fault here would leave the slots taken. */
  async function wayBeside(key: string, pid: string): Promise<Way> {
    return (await isPending(pid).catch(() => true))
      ? { kind: 'follow', key, pid }
      : { kind: 'primary', key, instead: pid };
  }

  async function isPending(pid: string): Promise<boolean> {
    const row = await readRow(approvalKey(pid, 'row'));
    return (row?.['approval'] as { status?: unknown } | undefined)?.status === 'pending';
  }

  async function readRow(key: Item) {
    const get = new GetItemCommand({ TableName: tables.state, Key: key, ConsistentRead: true });
    const { Item } = await client.send(get);
    return Item && fromItem(Item);
  }

  /** The claim that is there already, if this one is a copy. */
  async function laterThan({ record: { key } }: Claim): Promise<ClaimResult | undefined> {
    const Key = toItem({ pk: auditPartition(key.agent, key.pid), sk: 'evaluated' });
    const found = await batchGet(client, {
      [tables.audit]: {
        Keys: [Key],
        ConsistentRead: true,
        ProjectionExpression: 'pk, sk, verdict, contentDigest, decision',
      },
    });
    const [item] = found.get(tables.audit) ?? [];
    return item && { kind: 'exists', claim: claimFromItem(item) };
  }

  /** The claim is the first write of its transactions. */
  function takenClaim([taken]: readonly CancellationReason[]): ClaimResult | undefined {
    const exists = taken?.Code === 'ConditionalCheckFailed' && taken.Item;
    return exists ? { kind: 'exists', claim: claimFromItem(exists) } : undefined;
  }

  function put(item: Item) {
    return { TableName: tables.state, Item: item, ConditionExpression: 'attribute_not_exists(pk)' };
  }

  /** The waiter's place in the partition of the approval that it follows. */
  function waiterPut(primary: string, { approval }: Opening): TransactWriteItem {
    return {
      Put: put({
        ...approvalKey(primary, `waiter#${approval.pid}`),
        ...toItem({ waiter: approval.pid, ...ttlAfter(approval.expiresAt) }),
      }),
    };
  }

  /** A waiter is seen by whoever ends the approval that it follows, or it does not follow it. */
  function stillPending(primary: string): TransactWriteItem {
    return {
      Update: {
        TableName: tables.state,
        Key: approvalKey(primary, 'row'),
        UpdateExpression: 'ADD waiters :one',
        ConditionExpression: 'approval.#status = :pending',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: toItem({ ':one': 1, ':pending': 'pending' }),
      },
    };
  }

  function samePut({ approval }: Opening, { key, instead }: Extract<Way, { kind: 'primary' }>): TransactWriteItem {
    const expiresAt = Date.parse(approval.expiresAt);
    return {
      Put: {
        TableName: tables.state,
        Item: { ...sameKey(key), ...toItem({ pid: approval.pid, expiresAt, ...ttlAfter(expiresAt) }) },
        ConditionExpression: `attribute_not_exists(pk) OR expiresAt <= :now${instead === undefined ? '' : ' OR pid = :instead'}`,
        ExpressionAttributeValues: toItem({ ':now': Date.parse(approval.requestedAt), ':instead': instead }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
  }

  async function storeText(text: string): Promise<Record<string, unknown>> {
    if (Buffer.byteLength(text) <= limits.inlineBytes) return { body: text };
    const digest = sha256Hex(text);
    await inputs.put(digest, text);
    return { bodyDigest: digest };
  }
}

const rowItem = ({ approval, dueAt }: Opening): Item => ({
  ...approvalKey(approval.pid, 'row'),
  ...toItem({
    ...approvalFields(approval),
    version: approval.version,
    ...lookOf('approvals', dueAt, approval.pid),
    quietUntil: quietUntil(approval),
    counted: countedOf(approval),
    ...ttlAfter(approval.expiresAt),
  }),
});

function claimFromItem(item: Item): StoredClaim {
  const row = bytesToHex(fromItem(item)) as Record<string, unknown>;
  return {
    contentDigest: typeof row['contentDigest'] === 'string' ? row['contentDigest'] : null,
    verdict: row['verdict'] as ClaimVerdict,
    ...(row['decision'] ? { decision: recordedDecision(row) } : {}),
  };
}
