/** Puts the echo function behind a queue of its own on the endpoint, beside the gate. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { build } from 'esbuild';
import { clientConfig, type Endpoint } from '../../local/endpoint/index.ts';
import { clientsOf, makeQueue, makeRole, makeTable, uniqueName } from '../../local/endpoint/testing/fixtures.ts';
import { zip } from '../../local/endpoint/zip.ts';
import type { EchoMessage } from './echo-function.ts';

const BODY = 'x'.repeat(800);
const LOOK_EVERY_MS = 5;

interface Echo {
  /** Sends one message and reads until its item is there: milliseconds. */
  once(id: string, limited: boolean): Promise<number>;
  /** Sends one message with all three calls, and looks at nothing. */
  send(id: string): Promise<void>;
}

/** With the memory, batch size and time-out of `evaluate`. */
export async function startEcho(endpoint: Endpoint): Promise<Echo> {
  const root = clientsOf(endpoint);
  const config = clientConfig(endpoint);
  const lambda = new LambdaClient(config);
  const table = await makeTable(root);
  const queue = await makeQueue(root, { VisibilityTimeout: '60' });
  const role = await makeRole(root, [{ Action: '*' }]);
  const FunctionName = uniqueName('echo');
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName,
      Role: role.arn,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Timeout: 10,
      MemorySize: 1024,
      Environment: { Variables: { TABLE: table.name } },
      Code: { ZipFile: zip({ 'index.mjs': await bundled() }) },
    }),
  );
  await lambda.send(
    new CreateEventSourceMappingCommand({ FunctionName, EventSourceArn: queue.arn, BatchSize: 10, Enabled: true }),
  );
  await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const sqs = new SQSClient(config);
  const dynamo = new DynamoDBClient(config);
  const send = async (message: EchoMessage): Promise<void> => {
    await sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: JSON.stringify(message) }));
  };
  return {
    send: (id) => send({ id, body: BODY, limited: true }),
    async once(id, limited) {
      const began = performance.now();
      await send({ id, body: BODY, limited });
      const Key = { pk: { S: `echo#${id}` }, sk: { S: 'evaluated' } };
      const get = { TableName: table.name, Key, ConsistentRead: true };
      while (!(await dynamo.send(new GetItemCommand(get))).Item) await delay(LOOK_EVERY_MS);
      return performance.now() - began;
    },
  };
}

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'echo-function.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}
