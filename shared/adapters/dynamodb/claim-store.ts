/** Claims on DynamoDB: one conditional put, or one transaction when people are asked (A6, A14). */
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { sha256Hex } from '../../domain/digest.ts';
import { quietUntil } from '../../domain/due.ts';
import {
  type Claim,
  type ClaimLimits,
  type ClaimResult,
  type ClaimStore,
  type ClaimVerdict,
  DEFAULT_LIMITS,
  type Opening,
  type StoredClaim,
} from '../../ports/claim-store.ts';
import type { InputStore } from '../../ports/input-store.ts';
import { NO_WRITES } from '../../ports/session-store.ts';
import { auditPut } from './audit-log.ts';
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
} from './items.ts';
import { journalItem } from './journal-store.ts';
import { countedOf, lookOf } from './look-index.ts';
import { bytesToHex, decisionFromRow } from './pack.ts';
import { readTogether } from './read-together.ts';
import { sessionWriteItems } from './session-store.ts';
import { failed, transact } from './transact.ts';

export function dynamoClaimStore(
  client: DynamoDBClient,
  tables: Tables,
  inputs: InputStore,
  limits: ClaimLimits = DEFAULT_LIMITS,
): ClaimStore {
  const putOf = (claim: Claim) => {
    const { verdict, contentDigest, record } = claim;
    return {
      ...auditPut(tables, record, { verdict, contentDigest }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
  };

  return {
    async readBatch(keys, day) {
      const wanted = new Map(keys.map(({ agent, pid }) => [auditPartition(agent, pid), pid]));
      const { claimed, ...standing } = await readTogether(
        client,
        tables,
        {
          claims: [...wanted.keys()].map((pk) => toItem({ pk, sk: 'evaluated' })),
          sessions: keys.flatMap((key) => key.sessions ?? []),
          agents: keys.map(({ agent }) => agent),
        },
        day,
      );
      const claims = new Map<string, StoredClaim>();
      for (const item of claimed) {
        const pid = wanted.get(item['pk']?.S ?? '');
        if (pid) claims.set(pid, claimFromItem(item));
      }
      return { claims, ...standing };
    },

    async roomFor({ agent, group, same, now }) {
      const read = async (key: Item) => {
        const get = new GetItemCommand({ TableName: tables.state, Key: key, ConsistentRead: true });
        const { Item } = await client.send(get);
        return Item && fromItem(Item);
      };
      const [pointer, ofAgent, ofGroup] = await Promise.all([
        same === undefined ? undefined : read(sameKey(same)),
        read(waitingKey('agent', agent)),
        read(waitingKey('group', group)),
      ]);
      const { pid, expiresAt } = pointer ?? {};
      if (typeof pid === 'string' && typeof expiresAt === 'number' && now < expiresAt) {
        const lead = await read(approvalKey(pid, 'row'));
        if ((lead?.['approval'] as { status?: unknown } | undefined)?.status === 'pending') return 'same_waits';
      }
      const isFull =
        Number(ofAgent?.['waiting'] ?? 0) >= limits.perAgent || Number(ofGroup?.['waiting'] ?? 0) >= limits.perGroup;
      return isFull ? 'full' : 'free';
    },

    async claim(claim, sessions = NO_WRITES) {
      const changes = sessionWriteItems(tables, sessions);
      if (changes.length) {
        const written = await transact(client, [{ Put: putOf(claim) }, ...changes]);
        return written.ok ? { kind: 'claimed' } : (takenClaim(written.reasons) ?? { kind: 'session_changed' });
      }
      try {
        await client.send(new PutItemCommand(putOf(claim)));
        return { kind: 'claimed' };
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException && error.Item) {
          return { kind: 'exists', claim: claimFromItem(error.Item) };
        }
        throw error;
      }
    },

    async open(claim, opening, sessions = NO_WRITES) {
      const proposal = await keep(opening.proposal);
      const { pid, expiresAt } = opening.approval;
      const counted = [
        { kind: 'agent', key: waitingKey('agent', opening.approval.agent), most: limits.perAgent },
        { kind: 'group', key: waitingKey('group', opening.group), most: limits.perGroup },
      ] as const;
      const writes: TransactWriteItem[] = [
        { Put: putOf(claim) },
        { Put: put(rowItem(opening)) },
        {
          Put: put({
            ...approvalKey(pid, 'proposal'),
            ...toItem({ ...proposal, sealed: opening.sealed, ...ttlAfter(expiresAt) }),
          }),
        },
        ...opening.journal.map((entry) => ({ Put: put(journalItem(pid, entry)) })),
        ...(opening.approval.follows === undefined ? [] : [waiterPut(opening.approval.follows, opening)]),
      ];
      const firstCount = writes.length;
      writes.push(
        ...counted.map(({ key, most }) => ({
          Update: {
            TableName: tables.state,
            Key: key,
            UpdateExpression: 'ADD waiting :one',
            ConditionExpression: 'attribute_not_exists(waiting) OR waiting < :most',
            ExpressionAttributeValues: toItem({ ':one': 1, ':most': most }),
          },
        })),
        ...sessionWriteItems(tables, sessions),
      );
      const lead = opening.same ? writes.push(samePut(opening, opening.same)) - 1 : undefined;
      const follows = opening.approval.follows;
      const followed = follows === undefined ? undefined : writes.push(stillPending(follows)) - 1;
      const written = await transact(client, writes);
      if (written.ok) return { kind: 'claimed' };
      const earlier = takenClaim(written.reasons);
      if (earlier) return earlier;
      const broken = failed(written.reasons);
      if (followed !== undefined && broken.includes(followed)) return { kind: 'lead_ended' };
      const pointer = lead === undefined || !broken.includes(lead) ? undefined : written.reasons[lead]?.Item;
      if (pointer) return { kind: 'same_waits', pid: String(fromItem(pointer)['pid']) };
      const full = counted.find((_, index) => broken.includes(firstCount + index));
      if (full) return { kind: 'too_many_waiting', limit: full.kind };
      if (broken.some((index) => index >= firstCount + counted.length)) return { kind: 'session_changed' };
      throw new Error('a row of the approval is there already, and its claim is not');
    },
  };

  /** The claim is the first write of its transactions. */
  function takenClaim([taken]: readonly CancellationReason[]): ClaimResult | undefined {
    const exists = taken?.Code === 'ConditionalCheckFailed' && taken.Item;
    return exists ? { kind: 'exists', claim: claimFromItem(exists) } : undefined;
  }

  function put(item: Item) {
    return { TableName: tables.state, Item: item, ConditionExpression: 'attribute_not_exists(pk)' };
  }

  /** The waiter's place in the partition of the approval that it follows. */
  function waiterPut(lead: string, { approval }: Opening): TransactWriteItem {
    return {
      Put: put({
        ...approvalKey(lead, `waiter#${approval.pid}`),
        ...toItem({ waiter: approval.pid, ...ttlAfter(approval.expiresAt) }),
      }),
    };
  }

  /** A waiter is seen by whoever ends the approval that it follows, or it does not follow it. */
  function stillPending(lead: string): TransactWriteItem {
    return {
      Update: {
        TableName: tables.state,
        Key: approvalKey(lead, 'row'),
        UpdateExpression: 'ADD waiters :one',
        ConditionExpression: 'approval.#status = :pending',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: toItem({ ':one': 1, ':pending': 'pending' }),
      },
    };
  }

  function samePut({ approval }: Opening, { key, instead }: NonNullable<Opening['same']>): TransactWriteItem {
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

  async function keep(text: string): Promise<Record<string, unknown>> {
    if (Buffer.byteLength(text) <= limits.inlineBytes) return { body: text };
    const digest = sha256Hex(text);
    await inputs.put(digest, text);
    return { bodyDigest: digest };
  }
}

const rowItem = ({ approval, dueAt }: Opening): Item => ({
  ...approvalKey(approval.pid, 'row'),
  ...toItem({
    approval,
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
    ...(row['decision'] ? { decision: decisionFromRow(row['decision']) } : {}),
  };
}
