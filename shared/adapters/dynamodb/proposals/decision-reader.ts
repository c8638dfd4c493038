/** Reads an agent's own decisions by `GetItem`: its partition, the attributes meant for it. */
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { DecisionReader } from '../../../ports/agent-side.ts';
import type { ClaimVerdict } from '../../../ports/stores/claim-store.ts';
import { auditPartition, fromItem, toItem } from '../items.ts';
import { bytesToHex, decisionFromRow } from '../pack.ts';

export function dynamoDecisionReader(client: DynamoDBClient, auditTable: string): DecisionReader {
  return {
    async read(agent, pid, sort, read = 'latest') {
      const { Item: item } = await client.send(
        new GetItemCommand({
          TableName: auditTable,
          Key: toItem({ pk: auditPartition(agent, pid), sk: sort }),
          ConsistentRead: read === 'latest',
          ProjectionExpression: 'pk, sk, verdict, decision',
        }),
      );
      if (!item) return undefined;
      const row = bytesToHex(fromItem(item)) as Record<string, unknown>;
      return {
        verdict: row['verdict'] as ClaimVerdict | undefined,
        ...(row['decision'] ? { decision: decisionFromRow(row['decision']) } : {}),
      };
    },
  };
}
