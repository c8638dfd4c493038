/** Runs the contract of earlier ends on DynamoDB. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { dynamoVoteHistory } from '../../../shared/adapters/dynamodb/approvals/vote-history.ts';
import type { VoteHistory } from '../../../shared/ports/stores/vote-history.ts';
import type { Endpoint } from '../../local/endpoint/index.ts';
import { clientOf, startDynamo } from '../support/dynamodb.ts';
import { createTables } from '../support/tables.ts';
import { voteHistoryContract } from './vote-history.contract.ts';

let endpoint: Endpoint;
let dynamo: DynamoDBClient;
let history: VoteHistory;

beforeAll(async () => {
  endpoint = await startDynamo();
  dynamo = clientOf(endpoint);
  history = dynamoVoteHistory(dynamo, await createTables(dynamo));
}, 180_000);

afterAll(async () => {
  dynamo?.destroy();
  await endpoint?.stop();
});

voteHistoryContract(() => history);
