/** Stores approvals in DynamoDB: row, proposal and cards in one partition, the token in another. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  type TransactWriteItem,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Decision } from '../../../contract/decision.ts';
import { countedUnder } from '../../../domain/approval/approval.ts';
import { isFirstLook } from '../../../domain/approval/due.ts';
import { UnreadableApprovalError } from '../../../domain/approval/unread-approval.ts';
import type {
  ApprovalStore,
  ApprovalView,
  Card,
  CardProblem,
  TaskToken,
} from '../../../ports/stores/approval-store.ts';
import type { AuditRecord } from '../../../ports/stores/audit-log.ts';
import { InputGoneError, type InputStore } from '../../../ports/stores/input-store.ts';
import { NO_WRITES } from '../../../ports/stores/session-store.ts';
import { auditPut } from '../audit/audit-item.ts';
import {
  approvalKey,
  fromItem,
  type Item,
  lastUseOf,
  PREFIX,
  type Tables,
  toItem,
  tokenKey,
  ttlAfter,
} from '../items.ts';
import { journalPut } from '../journal-store.ts';
import { approvalFields, approvalFromRow, bytesToHex, decisionFromRow, hexToBytes, packDecision } from '../pack.ts';
import { countedOf, dueAtOf, lookOf, NOT_COUNTED, readCounted } from '../reconcile-index.ts';
import { sessionWriteItems } from '../sessions/session-store.ts';
import { failed, transact } from '../transact.ts';
import { freeSlots } from './waiting-slots.ts';

export function dynamoApprovalStore(client: DynamoDBClient, tables: Tables, inputs: InputStore): ApprovalStore {
  return {
    async read(pid) {
      const items: Item[] = [];
      const query = {
        TableName: tables.state,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: toItem({ ':pk': `${PREFIX.approval}${pid}` }),
        ConsistentRead: true,
      };
      for await (const page of paginateQuery({ client }, query)) items.push(...(page.Items ?? []));
      return items.length ? viewOf(pid, items.map(fromItem), inputs) : undefined;
    },

    async write(next, record, dueAt, journal) {
      const { approval, additions } = approvalFields(next);
      const writes: TransactWriteItem[] = [
        {
          Update: {
            TableName: tables.state,
            Key: approvalKey(next.pid, 'row'),
            UpdateExpression: `SET approval = :next, version = :version, look = :look, lookAt = :lookAt, counted = :counted${additions ? ', additions = :additions' : ''} REMOVE due, dueAt, quietUntil`,
            // Nothing about `decision`, which has raised the version too: IAM counts the attributes of conditions, and who votes has no right on it.
            ConditionExpression: 'version = :read',
            ExpressionAttributeValues: toItem({
              ':next': approval,
              ':additions': additions,
              ':version': next.version,
              ':read': next.version - 1,
              ':counted': countedOf(next),
              ...lookValues(next.pid, dueAt),
            }),
          },
        },
        ...(record ? [{ Put: auditPut(tables, record) }] : []),
        ...(journal ? [journalPut(tables, next.pid, journal)] : []),
      ];
      return wrote(writes, [0]);
    },

    async addCard(pid, card) {
      // No put: with the right to put in this partition somebody could put another row of the approval.
      await client.send(
        new UpdateItemCommand({
          TableName: tables.state,
          Key: approvalKey(pid, `card#${card.channel}#${card.ts}`),
          UpdateExpression: 'SET card = :card, #ttl = :ttl',
          ExpressionAttributeNames: { '#ttl': 'ttl' },
          ExpressionAttributeValues: toItem({ ':card': card, ':ttl': ttlAfter(Number(card.ts) * 1000).ttl }),
        }),
      );
    },

    async noteCardProblem(pid, problem) {
      await (problem === undefined
        ? updateRow(pid, 'REMOVE cardProblem', 'attribute_exists(cardProblem)')
        : updateRow(pid, 'SET cardProblem = :problem', 'attribute_exists(pk)', { ':problem': problem }));
    },

    async storeToken(pid, token) {
      const order = orderOf(token);
      try {
        await client.send(
          new PutItemCommand({
            TableName: tables.state,
            Item: { ...tokenKey(pid), ...toItem({ token, place: order, ...ttlAfter(token.enteredAt) }) },
            ConditionExpression: 'attribute_not_exists(pk) OR place <= :place',
            ExpressionAttributeValues: toItem({ ':place': order }),
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },

    async readToken(pid) {
      const get = new GetItemCommand({ TableName: tables.state, Key: tokenKey(pid), ConsistentRead: true });
      const { Item: item } = await client.send(get);
      return item ? (fromItem(item)['token'] as TaskToken) : undefined;
    },

    async finish(approval, record, dueAt, sessions = NO_WRITES, journal) {
      const decided = decidedItems(approval.pid, approval.version, record, dueAt);
      const first = decided.length;
      const remembered = sessionWriteItems(tables, sessions);
      const answered = journal ? [journalPut(tables, approval.pid, journal)] : [];
      const result = await transact(client, [...decided, ...remembered, ...answered]);
      if (result.ok) {
        await freeSlots(client, tables.state, [
          { kind: 'agent', name: approval.agent },
          { kind: 'group', name: countedUnder(approval) },
        ]);
        return 'written';
      }
      const broken = failed(result.reasons);
      // An entry of this round without its decision: another run went on to the next round meanwhile.
      if (broken.some((index) => index < 2 || index >= first + remembered.length)) return 'exists';
      return 'session_changed';
    },

    async finishUnread({ pid, version, agent, group }, record, dueAt) {
      const result = await transact(client, decidedItems(pid, version, record, dueAt));
      if (!result.ok) return 'exists';
      await freeSlots(client, tables.state, [
        ...(agent === undefined ? [] : [{ kind: 'agent' as const, name: agent }]),
        ...(group === undefined ? [] : [{ kind: 'group' as const, name: group }]),
      ]);
      return 'written';
    },

    async release(pid) {
      await updateRow(pid, `SET told = :told REMOVE ${LOOKS}, failures`, 'attribute_exists(decision)', {
        ':told': true,
      });
    },

    async markNotified(pid) {
      await updateRow(pid, 'SET told = :told', 'attribute_exists(decision)', { ':told': true });
    },

    async due(now, limit, after, onFault) {
      // The reconciler alone asks.
      const { dueRows } = await import('../due-rows.ts');
      const rows = await dueRows(client, tables.state, 'approvals', { now, limit, after, onFault });
      return rows.map(({ pk, dueAt, failures, quietUntil, approval, decision }) => ({
        pid: String(pk).slice(PREFIX.approval.length),
        dueAt,
        failures: Number(failures ?? 0),
        // Rows of the unsharded index carry no time of their own.
        isFirstLook:
          approval === undefined ? now < Number(quietUntil ?? 0) : decision === undefined && isFirstLook(approval, now),
      }));
    },

    async postpone(pid, dueAt, version, isDecided = false) {
      // The version alone tells of a decision, which has raised it: who draws cards may not name the decision itself.
      const condition = `${IS_DUE} AND version = :version`;
      const values = { ...lookValues(pid, dueAt), ':version': isDecided ? version + 1 : version };
      return updateRow(pid, `${SET_LOOK} REMOVE due, dueAt, failures`, condition, values);
    },

    async bringForward(pid, dueAt, released) {
      // Only these attributes: a function that draws cards has no right on the rest of the row.
      const isLater = '(lookAt > :lookAt OR dueAt > :dueAt)';
      const condition = released
        ? `attribute_exists(version) AND (attribute_not_exists(lookAt) AND attribute_not_exists(dueAt) OR ${isLater})`
        : `${IS_DUE} AND ${isLater}`;
      await updateRow(pid, `${SET_LOOK} REMOVE due, dueAt`, condition, { ...lookValues(pid, dueAt), ':dueAt': dueAt });
    },

    async setBack(pid, dueAt, failures) {
      const values = { ...lookValues(pid, dueAt), ':failures': failures };
      await updateRow(pid, `${SET_LOOK}, failures = :failures REMOVE due, dueAt`, IS_DUE, values);
    },

    async dropDue(pid) {
      await updateRow(pid, `REMOVE ${LOOKS}, failures`, IS_DUE);
    },
  };

  /** The decision in the record and in its row, which is still of this version. Undefined: the row does not say which it is of. */
  function decidedItems(
    pid: string,
    version: number | undefined,
    record: AuditRecord,
    dueAt: number,
  ): TransactWriteItem[] {
    const isSame =
      version === undefined ? 'attribute_exists(pk) AND attribute_not_exists(version)' : 'version = :version';
    return [
      { Put: auditPut(tables, record) },
      {
        Update: {
          TableName: tables.state,
          Key: approvalKey(pid, 'row'),
          UpdateExpression:
            'SET decision = :decision, look = :look, lookAt = :lookAt, version = :decided, counted = :none REMOVE due, dueAt, quietUntil',
          ConditionExpression: `${isSame} AND attribute_not_exists(decision)`,
          ExpressionAttributeValues: toItem({
            ':decision': storedDecision(record),
            ...lookValues(pid, dueAt),
            ':none': NOT_COUNTED,
            ':version': version,
            ':decided': (version ?? 0) + 1,
          }),
        },
      },
    ];
  }

  /** Changes a row if it is as expected; false, and it is left alone, otherwise. */
  async function updateRow(
    pid: string,
    update: string,
    condition: string,
    values?: Record<string, unknown>,
  ): Promise<boolean> {
    try {
      await client.send(
        new UpdateItemCommand({
          TableName: tables.state,
          Key: approvalKey(pid, 'row'),
          UpdateExpression: update,
          ConditionExpression: condition,
          ...(values ? { ExpressionAttributeValues: toItem(values) } : {}),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /** False if the condition of one of the writes at `expected` failed. */
  async function wrote(writes: TransactWriteItem[], expected: readonly number[]): Promise<boolean> {
    const result = await transact(client, writes);
    if (result.ok) return true;
    const broken = failed(result.reasons);
    if (broken.some((index) => expected.includes(index))) return false;
    throw new Error('a record of the change is there already, and the change is not');
  }
}

/** Attributes that hold when a row is looked at: those of the index, and those of the unsharded one before it. */
const LOOKS = 'look, lookAt, due, dueAt';
const SET_LOOK = 'SET look = :look, lookAt = :lookAt';
const IS_DUE = '(attribute_exists(look) OR attribute_exists(due))';

function lookValues(pid: string, dueAt: number): Record<string, unknown> {
  const { look, lookAt } = lookOf('approvals', dueAt, pid);
  return { ':look': look, ':lookAt': lookAt };
}

async function viewOf(
  pid: string,
  rows: readonly Record<string, unknown>[],
  inputs: InputStore,
): Promise<ApprovalView | undefined> {
  const row = rows.find(({ sk }) => sk === 'row');
  const record = rows.find(({ sk }) => sk === 'proposal');
  if (!row || !record) return undefined;
  const waiters = rows.filter(({ sk }) => String(sk).startsWith('waiter#')).map(({ waiter }) => String(waiter));
  const cards = rows.filter(({ sk }) => String(sk).startsWith('card#')).map(({ card }) => card as Card);
  const beside = { pid, waiters, cards };
  const read = readRow(row, beside);
  const proposal =
    typeof record['body'] === 'string'
      ? record['body']
      : await inputs.get(String(record['bodyDigest'])).catch((error: unknown) => {
          throw error instanceof InputGoneError ? unreadable(row, beside, error) : error;
        });
  return {
    ...read,
    proposal,
    ...(typeof record['sealed'] === 'string' ? { sealed: record['sealed'] } : {}),
    cards,
    waiters,
    ...(row['told'] === true ? { isNotified: true as const } : {}),
    ...(row['cardProblem'] ? { cardProblem: row['cardProblem'] as CardProblem } : {}),
    ...(row['look'] ? { dueAt: dueAtOf(row['lookAt']) } : row['due'] ? { dueAt: Number(row['dueAt']) } : {}),
  };
}

type Beside = Pick<ApprovalView, 'cards' | 'waiters'> & { readonly pid: string };

function readRow(row: Record<string, unknown>, beside: Beside): Pick<ApprovalView, 'approval' | 'decision'> {
  try {
    return {
      approval: approvalFromRow(row),
      ...(row['decision'] ? { decision: decisionFromRow(bytesToHex(row['decision'])) } : {}),
    };
  } catch (error) {
    throw unreadable(row, beside, error);
  }
}

/** Undefined for one that does not parse, too. */
function readDecision(packed: unknown): Decision | undefined {
  try {
    return packed ? decisionFromRow(bytesToHex(packed)) : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(row: Record<string, unknown>, beside: Beside, error: unknown): UnreadableApprovalError {
  const { approval, version, ttl } = row;
  const raw = {
    ...beside,
    approval,
    counted: readCounted(row['counted']),
    expiresAt: typeof ttl === 'number' ? lastUseOf(ttl) : undefined,
    version: typeof version === 'number' ? version : undefined,
    isDecided: row['decision'] !== undefined,
    decision: readDecision(row['decision']),
    ...(row['told'] === true ? { isNotified: true as const } : {}),
    isInputGone: error instanceof InputGoneError,
  };
  return new UnreadableApprovalError(raw, error);
}

/** Packed as in the record: beside the approval it would take the row over two write units. */
function storedDecision({ decision, rowDecision = decision }: AuditRecord): unknown {
  return rowDecision && hexToBytes(packDecision(rowDecision));
}

/** Text that sorts by time entered, then retry, so that one comparison tells the later place. */
const orderOf = ({ enteredAt, retryCount }: TaskToken): string =>
  [new Date(enteredAt).toISOString(), String(retryCount).padStart(4, '0')].join('#');
