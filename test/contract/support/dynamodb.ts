/**
 * Finds the DynamoDB that the stores are tried on.
 *
 * The local endpoint plays it; with `COUNTERSIGN_DYNAMODB=local` AWS's DynamoDB Local does, with `simulated` the tables
 * of the simulator.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoLocal } from '../../local/dynamodb-local/start.ts';
import { clientConfig, type Endpoint, startEndpoint } from '../../local/endpoint/index.ts';
import { answerOf } from '../../simulation/tables/client.ts';
import { SimulatedTables } from '../../simulation/tables/tables.ts';
import { sharedEndpoint } from './endpoint.ts';

const wanted = process.env['COUNTERSIGN_DYNAMODB'];
const simulated =
  wanted === 'simulated' ? new SimulatedTables({ now: Date.now, behindMs: 0, after: () => undefined }) : undefined;

/** The endpoint of a client that sends no request. */
const NOBODY: Endpoint = {
  kind: 'given',
  url: 'https://127.0.0.1:1',
  env: {},
  pid: undefined,
  logFile: undefined,
  stop: async () => undefined,
};

export async function startDynamo(): Promise<Endpoint> {
  if (simulated) return NOBODY;
  return wanted === 'local' ? startDynamoLocal() : sharedEndpoint();
}

/** For many callers at once, who would wait for the requests of other files. */
export const startOwnDynamo = (): Promise<Endpoint> => (wanted === 'local' ? startDynamoLocal() : startEndpoint());

export function clientOf(endpoint: Endpoint): DynamoDBClient {
  const client = new DynamoDBClient(clientConfig(endpoint));
  if (simulated)
    client.middlewareStack.add(
      (_, { commandName = '' }) =>
        async ({ input }) => ({ output: answerOf(simulated, commandName, input) as never, response: {} }),
      { step: 'initialize', priority: 'low' },
    );
  return client;
}
