/** Walks the pages of a query. */
import type { QueryCommandInput, QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import type { DynamoDBClient } from './client.ts';
import { QueryCommand } from './commands.ts';

interface Paging {
  readonly client: DynamoDBClient;
  readonly pageSize?: number;
}

export async function* paginateQuery(
  { client, pageSize }: Paging,
  input: QueryCommandInput,
): AsyncGenerator<QueryCommandOutput> {
  let { ExclusiveStartKey } = input;
  do {
    const command = new QueryCommand({ ...input, ExclusiveStartKey, Limit: input.Limit ?? pageSize });
    const page: QueryCommandOutput = await client.send(command);
    yield page;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}
