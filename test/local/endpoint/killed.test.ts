// Kills the endpoint while an agent waits.
//
// The agent gets an error and runs nothing, nothing is left, and the next start works.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { dynamoDecisionReader } from '../../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { sqsProposalQueue } from '../../../shared/adapters/sqs/proposal-queue.ts';
import { CountersignClient } from '../../../shared/client/client.ts';
import { logName, removeOldRuns } from '../../../shared/dev/aws/leftovers.ts';
import { startEndpoint } from './index.ts';
import { clientsOf, makeQueue, makeTable } from './testing/fixtures.ts';
import { groupIsThere } from './testing/left-behind.ts';
import { until } from './testing/until.ts';

test('kill -9 of the endpoint during a run is an error for who waits, and never an allow', async () => {
  const endpoint = await startEndpoint();
  const root = clientsOf(endpoint);
  const [queue, table] = [await makeQueue(root), await makeTable(root)];
  const reader = dynamoDecisionReader(root.dynamodb, table.name);
  let reads = 0;
  const client = new CountersignClient({
    agent: 'builder',
    deployment: 'killed',
    queueUrl: queue.url,
    auditTable: table.name,
    queue: sqsProposalQueue(root.sqs, queue.url),
    reader: { read: (...key: Parameters<typeof reader.read>) => reader.read(...key).finally(() => reads++) },
  });
  let ran = 0;
  const tool = client.gate('Bash', async (_input: { command: string }) => ran++, { timeout: 4_000 });
  const result = tool({ command: 'git status' }).then(
    () => 'ran',
    (error: Error) => error.name,
  );
  await until('the agent to wait', () => reads > 0);
  process.kill(Number(endpoint.pid), 'SIGKILL');
  expect(await result).not.toBe('ran');
  await expect(client.propose({ toolName: 'Bash', input: { command: 'git status' } })).rejects.toThrow();
  expect(ran).toBe(0);
  await until('its processes to end', () => !groupIsThere(Number(endpoint.pid)));
  await endpoint.stop();

  const next = await startEndpoint();
  expect((await clientsOf(next).sqs.send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
  await next.stop();
});

test('a start beside others leaves the log of an endpoint that runs, and removes the oldest of those that ended', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'countersign-logs-'));
  const logs = join(cache, 'logs');
  await mkdir(logs);
  const running = logName(new Date(0), '1');
  const ended = Array.from({ length: 12 }, (_, index) =>
    logName(new Date(1_000 + index), '2').replace(/\d+\.log/, '999999999.log'),
  );
  for (const name of [running, ...ended]) await writeFile(join(logs, name), '');
  await removeOldRuns(cache);
  expect((await readdir(logs)).sort()).toEqual([running, ...ended.slice(2)]);
  await rm(cache, { recursive: true });
});
