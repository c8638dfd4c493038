/** Stores permits in use: one conditional put for each change; a sparse index finds what is due. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { HeldPermit, PermitStore } from '../../../ports/stores/permit-store.ts';
import { fromItem, type Item, PREFIX, permitKey, type Tables, toItem, ttlAfter } from '../items.ts';
import { lookOf } from '../reconcile-index.ts';

export function dynamoPermitStore(client: DynamoDBClient, { state }: Pick<Tables, 'state'>): PermitStore {
  const itemOf = (permit: HeldPermit, dueAt: number | undefined): Item => ({
    ...permitKey(permit.pid, permit.callId),
    ...toItem({
      permit,
      stage: permit.stage,
      redemptionId: permit.redemptionId,
      // A used permit is remembered for longer than any permit lasts.
      ...ttlAfter(permit.takenAt),
      ...(dueAt === undefined ? {} : lookOf('permits', dueAt, permit.pid, permit.callId)),
    }),
  });
  return {
    async read(pid, callId) {
      const get = new GetItemCommand({ TableName: state, Key: permitKey(pid, callId), ConsistentRead: true });
      const { Item: item } = await client.send(get);
      return item && permitFromItem(item);
    },
    async take(permit, dueAt) {
      try {
        await client.send(
          new PutItemCommand({
            TableName: state,
            Item: itemOf(permit, dueAt),
            // The holder's own row counts as free: the SDK may have sent this put before.
            ConditionExpression:
              'attribute_not_exists(pk) OR stage = :free OR (stage = :taken AND redemptionId = :mine)',
            ExpressionAttributeValues: toItem({ ':free': 'free', ':taken': 'taken', ':mine': permit.redemptionId }),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return undefined;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException && error.Item) return permitFromItem(error.Item);
        throw error;
      }
    },
    async move(next, from, dueAt) {
      try {
        await client.send(
          new PutItemCommand({
            TableName: state,
            Item: itemOf(next, dueAt),
            // To begin is done by one process only, so what it finds done is its own put, sent again by the SDK.
            ConditionExpression: 'redemptionId = :mine AND (stage = :from OR stage = :done)',
            ExpressionAttributeValues: toItem({
              ':mine': next.redemptionId,
              ':from': from,
              ':done': next.stage === 'begun' ? 'begun' : from,
            }),
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
    async due(now, limit, after, onFault) {
      // The reconciler alone asks.
      const { dueRows } = await import('../due-rows.ts');
      const rows = await dueRows(client, state, 'permits', { now, limit, after, onFault });
      return rows.map(({ pk, sk, dueAt, failures }) => {
        const pid = String(pk).slice(PREFIX.permit.length);
        return { pid, callId: String(sk), dueAt, failures: Number(failures ?? 0) };
      });
    },
    async setBack(pid, callId, dueAt, failures) {
      const { look, lookAt } = lookOf('permits', dueAt, pid, callId);
      const update = 'SET look = :look, lookAt = :lookAt, failures = :failures REMOVE due, dueAt';
      await updateDue(pid, callId, update, { ':look': look, ':lookAt': lookAt, ':failures': failures });
    },
    async dropDue(pid, callId) {
      await updateDue(pid, callId, 'REMOVE look, lookAt, due, dueAt, failures');
    },
  };

  /** Leaves a permit alone that nobody has to look after. */
  async function updateDue(
    pid: string,
    callId: string,
    update: string,
    values?: Record<string, unknown>,
  ): Promise<void> {
    try {
      await client.send(
        new UpdateItemCommand({
          TableName: state,
          Key: permitKey(pid, callId),
          UpdateExpression: update,
          ConditionExpression: 'attribute_exists(look) OR attribute_exists(due)',
          ...(values ? { ExpressionAttributeValues: toItem(values) } : {}),
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
}

const permitFromItem = (item: Item): HeldPermit => fromItem(item)['permit'] as HeldPermit;
