/**
 * Starts the DynamoDB that the stores are tried on.
 *
 * The local endpoint plays it, or with `COUNTERSIGN_DYNAMODB=local` AWS's DynamoDB Local.
 */
import { startDynamoLocal } from '../local/dynamodb-local/start.ts';
import { type Endpoint, startEndpoint } from '../local/endpoint/index.ts';

const isAlone = process.env['COUNTERSIGN_DYNAMODB'] === 'local';

export const startDynamo = (): Promise<Endpoint> => (isAlone ? startDynamoLocal() : startEndpoint());

/** The endpoint of all other services. */
export const startOthers = (dynamodb: Endpoint): Promise<Endpoint> =>
  isAlone ? startEndpoint() : Promise.resolve(dynamodb);
