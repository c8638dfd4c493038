/** Claims on DynamoDB: one conditional put, or one transaction when people are asked (A6, A14). */
import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type CancellationReason,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { SessionRow } from '../../contract/session.ts';
import { sha256Hex } from '../../domain/digest.ts';
import {
  type Claim,
  type ClaimLimits,
  type ClaimResult,
  type ClaimStore,
  type ClaimVerdict,
  DEFAULT_LIMITS,
  type Opening,
  type StoredClaim,
  sessionKey,
} from '../../ports/claim-store.ts';
import type { InputStore } from '../../ports/input-store.ts';
import { NO_WRITES } from '../../ports/session-store.ts';
import { auditPut } from './audit-log.ts';
import { controlFromItem } from './control-store.ts';
import {
  approvalKey,
  auditPartition,
  CONTROL_KEY,
  DUE_PARTITION,
  deniedKey,
  fromItem,
  type Item,
  PREFIX,
  sessionItemKey,
  type Tables,
  toItem,
  waitingKey,
} from './items.ts';
import { journalItem } from './journal-store.ts';
import { bytesToHex, decisionFromRow } from './pack.ts';
import { deniedFromItem, refusedSession, sessionFromItem, sessionWriteItems } from './session-store.ts';

const TRIES = 4;

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
      const claims = new Map<string, StoredClaim>();
      const sessions = new Map<string, SessionRow>();
      const denials = new Map(keys.map(({ agent }) => [agent, 0]));
      let control: Item | undefined;
      const wantedSessions = new Map(
        keys
          .flatMap((key) => key.sessions ?? [])
          .map(({ agent, sessionId }) => [sessionKey(agent, sessionId), { agent, sessionId }]),
      );
      let request: BatchGetItemCommandInput['RequestItems'] = {
        [tables.audit]: {
          Keys: [...wanted.keys()].map((pk) => toItem({ pk, sk: 'evaluated' })),
          ConsistentRead: true,
          ProjectionExpression: 'pk, sk, verdict, contentDigest, decision',
        },
        [tables.state]: {
          Keys: [
            CONTROL_KEY,
            ...[...wantedSessions.values()].map(({ agent, sessionId }) => sessionItemKey(agent, sessionId)),
            ...[...denials.keys()].map((agent) => deniedKey(agent, day)),
          ],
          ConsistentRead: true,
        },
      };
      for (let attempt = 0; request && Object.keys(request).length; attempt++) {
        if (attempt === TRIES) throw new Error('the tables did not answer the whole batch');
        const page: BatchGetItemCommandOutput = await client.send(new BatchGetItemCommand({ RequestItems: request }));
        for (const item of page.Responses?.[tables.audit] ?? []) {
          const pid = wanted.get(item['pk']?.S ?? '');
          if (pid) claims.set(pid, claimFromItem(item));
        }
        for (const item of page.Responses?.[tables.state] ?? []) {
          const pk = item['pk']?.S ?? '';
          if (pk === PREFIX.control) control = item;
          else if (pk.startsWith(PREFIX.denied)) denials.set(pk.slice(PREFIX.denied.length), deniedFromItem(item));
          else {
            const row = sessionFromItem(item);
            sessions.set(sessionKey(row.agent, row.sessionId), row);
          }
        }
        request = page.UnprocessedKeys;
      }
      return { claims, control: controlFromItem(control), sessions, denials };
    },

    async claim(claim, sessions = NO_WRITES) {
      const changes = sessionWriteItems(tables, sessions);
      if (changes.length) return transact([{ Put: putOf(claim) }, ...changes], (reasons) => refusedSession(reasons, 1));
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
      const { pid } = opening.approval;
      const counted = [
        { kind: 'agent', key: waitingKey('agent', opening.approval.agent), most: limits.perAgent },
        { kind: 'group', key: waitingKey('group', opening.group), most: limits.perGroup },
      ] as const;
      const writes: TransactWriteItem[] = [
        { Put: putOf(claim) },
        { Put: put(rowItem(opening)) },
        { Put: put({ ...approvalKey(pid, 'proposal'), ...toItem(proposal) }) },
        ...opening.journal.map((entry) => ({ Put: put(journalItem(pid, entry)) })),
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
      return transact(writes, (reasons) => {
        const full = counted.find((_, index) => reasons[firstCount + index]?.Code === 'ConditionalCheckFailed');
        if (full) return { kind: 'too_many_waiting', limit: full.kind };
        return refusedSession(reasons, firstCount + counted.length);
      });
    },
  };

  /** The claim is the first write. A conflict with another transaction is tried again; `refusal` reads the other conditions. */
  async function transact<Refusal>(
    writes: TransactWriteItem[],
    refusal: (reasons: readonly CancellationReason[]) => Refusal | undefined,
  ): Promise<ClaimResult | Refusal> {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems: writes }));
        return { kind: 'claimed' };
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        const reasons = error.CancellationReasons ?? [];
        const [taken] = reasons;
        if (taken?.Code === 'ConditionalCheckFailed' && taken.Item)
          return { kind: 'exists', claim: claimFromItem(taken.Item) };
        const refused = refusal(reasons);
        if (refused !== undefined) return refused;
        if (attempt === TRIES || !reasons.some(({ Code }) => Code === 'TransactionConflict')) throw error;
      }
    }
  }

  function put(item: Item) {
    return { TableName: tables.state, Item: item, ConditionExpression: 'attribute_not_exists(pk)' };
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
  ...toItem({ approval, version: approval.version, due: DUE_PARTITION, dueAt }),
});

function claimFromItem(item: Item): StoredClaim {
  const row = bytesToHex(fromItem(item)) as Record<string, unknown>;
  return {
    contentDigest: typeof row['contentDigest'] === 'string' ? row['contentDigest'] : null,
    verdict: row['verdict'] as ClaimVerdict,
    ...(row['decision'] ? { decision: decisionFromRow(row['decision']) } : {}),
  };
}
