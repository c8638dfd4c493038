/** Reads the server's clock from the answers that a client gets anyway. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

interface Answer {
  readonly response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** Undefined until an answer has come. Refused requests have none that is seen here. */
export function serverTime(client: DynamoDBClient): { at(): number | undefined } {
  let time: number | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const stated = Date.parse((result as Answer).response?.headers?.['date'] ?? '');
      if (!Number.isNaN(stated)) time = stated;
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'readServerTime' },
  );
  return { at: () => time };
}
