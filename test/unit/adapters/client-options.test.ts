/** Checks that AWS clients give up in time on a service that takes a connection and never answers. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { CLIENT_OPTIONS } from '../../../shared/adapters/client-options.ts';

test('a request that is not answered ends with an error, and not with the time of its caller', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const client = new DynamoDBClient({
    ...CLIENT_OPTIONS,
    // The same options with a shorter time, so that the test takes no seconds.
    requestHandler: { ...CLIENT_OPTIONS.requestHandler, requestTimeout: 50 },
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  try {
    const read = client.send(new GetItemCommand({ TableName: 'state', Key: { pk: { S: 'a' } } }));
    await expect(read).rejects.toThrow('exceeded the configured 50 ms');
  } finally {
    client.destroy();
    silent.close();
  }
});
