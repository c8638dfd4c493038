/** Checks the endpoint by AWS's own clients, and by the client of agents as it is. */
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand, ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, expect, test } from 'vitest';
import { createMemoryGate } from '../../../shared/adapters/memory/gate.ts';
import { memoryPendingApprovals } from '../../../shared/adapters/memory/stores/pending-approvals.ts';
import { secretlintDetector } from '../../../shared/adapters/secretlint/detector.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { NAMES, queueUrl } from '../../../shared/dev/endpoint/names.ts';
import { startAgentEndpoint } from '../../../shared/dev/endpoint/server.ts';
import { proposedLine } from '../../../shared/dev/proposal-lines.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import { systemClock } from '../../../shared/ports/clock.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import { vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';

const POLICY = `people: { olga: { team: T1A, user: U1A, name: Olga }, alice: { team: T1A, user: U2A, name: Alice } }
agents: { builder: { owner: olga }, other: { owner: olga } }
channels: { approvals: { team: T1A, id: C1A } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { allow: [Read], deny: ['Bash(rm:*)'] }
`;

/** The attributes of a decision that an agent's role may read. */
const READABLE = 'pk, sk, verdict, decision';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function world() {
  const lines: string[] = [];
  const faults: unknown[] = [];
  const gate = createMemoryGate({
    document: loadPolicy(POLICY, 'countersign.yaml'),
    deployment: NAMES.deployment,
    clock: systemClock,
    timers: systemTimers,
    ids: { next: randomUUID },
    shell: () => loadShellParser(),
    detector: async () => secretlintDetector(),
    poster: {
      post: async (channel) => ({ channel, ts: '1.000001' }),
      update: async () => true,
      reply: async () => undefined,
      announce: async () => undefined,
      message: async () => undefined,
    },
    onFault: (_, error) => faults.push(error),
  });
  const secretAccessKey = 'a-secret';
  const endpoint = await startAgentEndpoint({
    port: 0,
    clock: systemClock,
    agentOf: (id) => (id.startsWith('KEY-') ? { secretAccessKey, side: gate.agentSide(id.slice(4)) } : undefined),
    heard: { proposed: (agent, raw) => lines.push(proposedLine(agent, raw)) },
    onFault: (error) => faults.push(error),
  });
  stops.push(gate.stop, endpoint.stop);
  const aws = (agent: string, secret = secretAccessKey) => ({
    endpoint: endpoint.url,
    region: 'us-east-1',
    credentials: { accessKeyId: `KEY-${agent}`, secretAccessKey: secret },
  });
  let ids = 0;
  const client = (agent: string) =>
    new CountersignClient({
      ...{ agent, deployment: NAMES.deployment, aws: aws(agent), auditTable: NAMES.audit },
      queueUrl: queueUrl(endpoint.url, NAMES.proposals),
      redeemFunction: NAMES.redeem,
      outcomesQueueUrl: queueUrl(endpoint.url, NAMES.outcomes),
      newId: () => `p-${++ids}`,
    });
  return { gate, aws, client, lines, faults, url: endpoint.url };
}

test('a client as it is runs what a rule allows, under a permit that it redeems, and reports the run', async () => {
  const { client, gate, faults } = await world();
  const read = client('builder').gate('Read', ({ file_path }: { file_path: string }) => `read ${file_path}`);
  expect(await read({ file_path: 'a.txt' })).toBe('read a.txt');
  const pid = pidOf(NAMES.deployment, 'builder', 'p-1');
  await expect
    .poll(async () => (await gate.parts.audit.ofProposal('builder', pid)).map(({ entry }) => entry.ran?.status))
    .toContain('succeeded');
  expect(faults).toEqual([]);
});

test('it learns of a denial, and of what people decide', async () => {
  const { client, gate, lines } = await world();
  const builder = client('builder');
  const denied = await builder.decide({ tool: 'Bash', input: { command: 'rm -rf x' } });
  expect(denied).toMatchObject({ outcome: 'denied', message: 'Denied by the rule Bash(rm:*) (project).' });
  const asked = builder.decide({ tool: 'Bash', input: { command: 'git push' } });
  const waiting = () => memoryPendingApprovals(gate.parts.state).approvals;
  await expect.poll(() => waiting().length).toBe(1);
  const [{ pid = '', question } = {}] = waiting();
  const click = { pid, person: { team: 'T1A', user: 'U2A' }, isBot: false, requestId: 'r-1' };
  const ballot = { choice: 'approve', questionDigest: question?.digest ?? '', via: 'slack' } as const;
  await vote({ ...click, ballot }, gate.parts);
  expect(await asked).toMatchObject({ outcome: 'approved', input: { command: 'git push' } });
  expect(lines).toEqual(['builder  Bash  p-1  proposed', 'builder  Bash  p-2  proposed']);
});

test('an agent reads its own decisions, and no other rows', async () => {
  const { client, aws } = await world();
  await client('builder').decide({ tool: 'Read', input: { file_path: 'a' } });
  const pid = pidOf(NAMES.deployment, 'builder', 'p-1');
  const read = (agent: string, pk: string, sk = 'evaluated', table: string = NAMES.audit, wanted = READABLE) =>
    new DynamoDBClient(aws(agent)).send(
      new GetItemCommand({
        TableName: table,
        Key: { pk: { S: pk }, sk: { S: sk } },
        ...(wanted ? { ProjectionExpression: wanted } : {}),
      }),
    );
  const { Item: item = {} } = await read('builder', `builder#${pid}`);
  expect(Object.keys(item).toSorted()).toEqual(['decision', 'pk', 'sk', 'verdict']);
  const refused = { name: 'AccessDeniedException', message: expect.stringContaining('its own decisions only') };
  await expect(read('other', `builder#${pid}`)).rejects.toMatchObject(refused);
  await expect(read('builder', `operation/builder#${pid}`)).rejects.toMatchObject(refused);
  await expect(read('builder', `builder#${pid}`, 'clicked')).rejects.toMatchObject(refused);
  await expect(read('builder', `builder#${pid}`, 'evaluated', 'another')).rejects.toMatchObject(refused);
  await expect(read('builder', `builder#${pid}`, 'evaluated', NAMES.audit, '')).rejects.toMatchObject(refused);
  await expect(
    read('builder', `builder#${pid}`, 'evaluated', NAMES.audit, `${READABLE}, record`),
  ).rejects.toMatchObject(refused);
  await expect(read('builder', 'constructor')).rejects.toMatchObject(refused);
});

test('nobody speaks for an agent without its keys', async () => {
  const { aws, url, lines } = await world();
  const message = new SendMessageCommand({ QueueUrl: queueUrl(url, NAMES.proposals), MessageBody: '{}' });
  const refused = {
    name: 'UnrecognizedClientException',
    message: expect.stringContaining('source the env file again'),
  };
  await expect(new SQSClient(aws('builder', 'guessed')).send(message)).rejects.toMatchObject(refused);
  const unknown = { ...aws('builder'), credentials: { accessKeyId: 'AKIA', secretAccessKey: 'a-secret' } };
  await expect(new SQSClient(unknown).send(message)).rejects.toMatchObject(refused);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
  expect(lines).toEqual([]);
});

test('a message under the group of another agent is refused as the deployed gate refuses it (A2)', async () => {
  const { aws, gate, client, url } = await world();
  const message = { kind: 'tool-call', proposalId: 'p', toolName: 'Read', input: { file_path: 'a' } };
  const sent = { QueueUrl: queueUrl(url, NAMES.proposals), MessageBody: JSON.stringify(message) };
  await new SQSClient(aws('builder')).send(new SendMessageCommand({ ...sent, MessageGroupId: 'other' }));
  expect(await client('builder').wait('p')).toMatchObject({ outcome: 'error', reasonCode: 'not_your_agent' });
  expect(await gate.parts.audit.ofProposal('other', pidOf(NAMES.deployment, 'other', 'p'))).toEqual([]);
});

test('a call that is no agent’s is refused in words', async () => {
  const { aws, url, faults } = await world();
  const dynamo = new DynamoDBClient(aws('builder'));
  const inWords = {
    message: expect.stringMatching(
      /countersign dev answers the calls of an agent's client, and not .*(Scan|ListTables)/,
    ),
  };
  await expect(dynamo.send(new ScanCommand({ TableName: NAMES.audit }))).rejects.toMatchObject(inWords);
  await expect(dynamo.send(new ListTablesCommand())).rejects.toMatchObject(inWords);
  const elsewhere = new SendMessageCommand({ QueueUrl: queueUrl(url, 'operators'), MessageBody: '{}' });
  await expect(new SQSClient(aws('builder')).send(elsewhere)).rejects.toMatchObject({ name: 'AccessDeniedException' });
  expect(faults).toEqual([]);
});

test('a connection outlives the pauses of a client that waits: a redeem that meets its end is not sent again', async () => {
  const { url } = await world();
  const { headers } = await fetch(url, { method: 'POST', body: '{}' });
  expect(Number(headers.get('keep-alive')?.replace('timeout=', ''))).toBeGreaterThan(60);
});
