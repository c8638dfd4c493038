/** Permits in use: one conditional put for each change (A19), found by the reconciler through the sparse index (A8). */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { HeldPermit, PermitStore } from '../../ports/permit-store.ts';
import {
  DUE_INDEX,
  DUE_PERMITS,
  fromItem,
  type Item,
  PREFIX,
  permitKey,
  type Tables,
  toItem,
  ttlAfter,
} from './items.ts';

export function dynamoPermitStore(client: DynamoDBClient, { state }: Pick<Tables, 'state'>): PermitStore {
  const itemOf = (permit: HeldPermit, dueAt: number | undefined): Item => ({
    ...permitKey(permit.pid, permit.callId),
    ...toItem({
      permit,
      stage: permit.stage,
      redemptionId: permit.redemptionId,
      // A used permit is remembered for longer than any permit lasts.
      ...ttlAfter(permit.takenAt),
      ...(dueAt === undefined ? {} : { due: DUE_PERMITS, dueAt }),
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
    async due(now, limit, after) {
      const start = after && {
        ...permitKey(after.pid, after.callId),
        ...toItem({ due: DUE_PERMITS, dueAt: after.dueAt }),
      };
      const page = await client.send(
        new QueryCommand({
          TableName: state,
          IndexName: DUE_INDEX,
          KeyConditionExpression: 'due = :due AND dueAt <= :now',
          ExpressionAttributeValues: toItem({ ':due': DUE_PERMITS, ':now': now }),
          Limit: limit,
          ...(start ? { ExclusiveStartKey: start } : {}),
        }),
      );
      return (page.Items ?? []).map((item) => {
        const { pk, sk, dueAt, failures } = fromItem(item);
        const pid = String(pk).slice(PREFIX.permit.length);
        return { pid, callId: String(sk), dueAt: Number(dueAt), failures: Number(failures ?? 0) };
      });
    },
    async setBack(pid, callId, dueAt, failures) {
      const values = { ':dueAt': dueAt, ':failures': failures };
      await updateDue(pid, callId, 'SET dueAt = :dueAt, failures = :failures', values);
    },
    async dropDue(pid, callId) {
      await updateDue(pid, callId, 'REMOVE due, dueAt, failures');
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
          ConditionExpression: 'attribute_exists(due)',
          ...(values ? { ExpressionAttributeValues: toItem(values) } : {}),
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
}

const permitFromItem = (item: Item): HeldPermit => fromItem(item)['permit'] as HeldPermit;
