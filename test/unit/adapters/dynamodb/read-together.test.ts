/** Checks which reads are consistent: all that a decision rests on, and the last one of a wait. */
import { type BatchGetItemCommandInput, DynamoDBClient, type GetItemCommandInput } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { dynamoClaimStore } from '../../../../shared/adapters/dynamodb/proposals/claim-store.ts';
import { dynamoDecisionReader } from '../../../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { dynamoResultStore } from '../../../../shared/adapters/dynamodb/proposals/result-store.ts';
import type { ClaimsRead } from '../../../../shared/ports/stores/claim-store.ts';

const noInputs = { put: async () => undefined, get: async () => '' };

async function consistency(claims: ClaimsRead | undefined) {
  const client = new DynamoDBClient({ region: 'us-east-1' });
  const asked: BatchGetItemCommandInput[] = [];
  client.send = async (command: { input: BatchGetItemCommandInput }) => {
    asked.push(command.input);
    return { Responses: {} };
  };
  const store = dynamoClaimStore(client, { state: 'state', audit: 'audit' }, noInputs);
  const sessions = [{ agent: 'coder', sessionId: 'main' }];
  await store.readBatch([{ agent: 'coder', pid: 'a'.repeat(64), sessions }], '2026-11-26', claims);
  const { state, audit } = asked[0]?.RequestItems ?? {};
  return { requests: asked.length, state: state?.ConsistentRead, audit: audit?.ConsistentRead };
}

test.each([
  [undefined, true],
  ['latest', true],
  ['likely', false],
] as const)('claims that are asked for as %s', async (claims, audit) => {
  expect(await consistency(claims)).toEqual({ requests: 1, state: true, audit });
});

test.each([
  [undefined, true],
  ['latest', true],
  ['likely', false],
] as const)('a decision and a result that their agent asks for as %s', async (read, isConsistent) => {
  const client = new DynamoDBClient({ region: 'us-east-1' });
  const asked: GetItemCommandInput[] = [];
  client.send = async (command: { input: GetItemCommandInput }) => {
    asked.push(command.input);
    return {};
  };
  await dynamoDecisionReader(client, 'audit').read('coder', 'a'.repeat(64), 'evaluated', read);
  await dynamoResultStore(client, { state: 'state' }).read('coder', 'a'.repeat(64), 'request', read);
  expect(asked).toMatchObject([{ ConsistentRead: isConsistent }, { ConsistentRead: isConsistent }]);
});
