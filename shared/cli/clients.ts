/** AWS clients of the commands: loaded by those that need them. `AWS_ENDPOINT_URL` and the profile are read by the SDK itself. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export const dynamo = (): DynamoDBClient => new DynamoDBClient({ maxAttempts: 3 });
