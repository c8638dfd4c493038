/** Runs the gate's use cases in this process, on real tables and queues, with each SDK call metered. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, type Projection, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { dynamoApprovalStore } from '../../../shared/adapters/dynamodb/approvals/approval-store.ts';
import { dynamoCardLists } from '../../../shared/adapters/dynamodb/approvals/card-lists.ts';
import { dynamoDelegationStore } from '../../../shared/adapters/dynamodb/approvals/delegation-store.ts';
import { dynamoVoteHistory } from '../../../shared/adapters/dynamodb/approvals/vote-history.ts';
import { dynamoAuditLog } from '../../../shared/adapters/dynamodb/audit/audit-log.ts';
import { DynamoRateLimits } from '../../../shared/adapters/dynamodb/guardrails/rate-limits.ts';
import type { Tables } from '../../../shared/adapters/dynamodb/items.ts';
import { dynamoJournalStore } from '../../../shared/adapters/dynamodb/journal-store.ts';
import { dynamoClaimStore } from '../../../shared/adapters/dynamodb/proposals/claim-store.ts';
import { dynamoDecisionReader } from '../../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { LOOK_ATTRIBUTES, LOOK_INDEX } from '../../../shared/adapters/dynamodb/reconcile-index.ts';
import { dynamoSessionStore } from '../../../shared/adapters/dynamodb/sessions/session-store.ts';
import { dynamoTaskConversations, dynamoTasks } from '../../../shared/adapters/dynamodb/task-store.ts';
import { secretlintDetector } from '../../../shared/adapters/secretlint/detector.ts';
import { sqsCardQueue } from '../../../shared/adapters/sqs/outbox.ts';
import { sqsProposalQueue } from '../../../shared/adapters/sqs/proposal-queue.ts';
import { CountersignClient } from '../../../shared/client/client.ts';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import { systemClock } from '../../../shared/ports/clock.ts';
import { NO_DIRECTORY } from '../../../shared/ports/people.ts';
import type { InputStore } from '../../../shared/ports/stores/input-store.ts';
import type { CardLine } from '../../../shared/ports/stores/outbox.ts';
import type { ResolveDependencies } from '../../../shared/use-cases/approvals/dependencies.ts';
import type { VotingDependencies } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import type { Incoming } from '../../../shared/use-cases/intake/message.ts';
import { redactorOf } from '../../../shared/use-cases/redactor.ts';
import { clientConfig, type Endpoint } from '../../local/endpoint/index.ts';
import { Meter, PUT_TEXT } from './meter.ts';
import { unitsOfCalls } from './units-of-call.ts';

const AGENT = 'demo-agent';
export const POLICY = join(import.meta.dirname, '../../../countersign.yaml');
/** An agent policy that asks one person about every action. */
export const ATTENDED = 'attended';
const AGENT_POLICIES = `policies: { ${ATTENDED}: { type: human-in-the-loop, delegate: { type: first-available }, timeout: 30m } }`;
const DEPLOYMENT = 'Bench';
/** As long as Step Functions' own may become. */
const TASK_TOKEN = randomBytes(512).toString('hex');

export type BenchWorld = Awaited<ReturnType<typeof benchWorld>>;

export async function benchWorld(endpoint: Endpoint) {
  const config = clientConfig(endpoint);
  const run = randomUUID().slice(0, 8);
  const plain = new DynamoDBClient(config);
  const tables: Tables = { state: `state-${run}`, audit: `audit-${run}` };
  await makeTables(plain, tables);
  const queues = new SQSClient(config);
  const proposals = await makeQueue(queues, `proposals-${run}`);
  const cardsUrl = await makeQueue(queues, `cards-${run}.fifo`);

  const meter = new Meter(unitsOfCalls(plain, tables));
  const dynamo = meter.watchDynamo(new DynamoDBClient(config));
  const sqs = meter.watchSqs(new SQSClient(config));
  const inputs = countedInputs(meter);
  const cards = sqsCardQueue(sqs, cardsUrl);
  /** Cards that slack-out would receive, oldest first. */
  const cardsAsked: { readonly pid: string; readonly only: CardLine['only'] | undefined }[] = [];
  const gate: IntakeDependencies & ResolveDependencies & VotingDependencies = {
    deployment: DEPLOYMENT,
    policy: compilePolicy(loadPolicy(`${readFileSync(POLICY, 'utf8')}\n${AGENT_POLICIES}`, POLICY)),
    clock: systemClock,
    digestKey: randomBytes(64),
    redactor: redactorOf(
      () => gate.policy,
      async () => secretlintDetector(),
    ),
    sealer: { seal: async () => Promise.reject(new Error('the benchmark proposes no secrets')) },
    shell: async () => loadShellParser(),
    agents: { nameOf: async () => AGENT },
    accountsAllowed: false,
    claims: dynamoClaimStore(dynamo, tables, inputs),
    approvals: dynamoApprovalStore(dynamo, tables, inputs),
    journal: dynamoJournalStore(dynamo, tables),
    inputs,
    delegations: dynamoDelegationStore(dynamo, tables),
    audit: dynamoAuditLog(dynamo, tables),
    sessions: dynamoSessionStore(dynamo, tables),
    // The policy says nothing of the task agent's tools.
    taskGuardrails: { run: (_agent, _call, _key, work) => work() },
    tasks: dynamoTasks(dynamo, tables),
    conversations: dynamoTaskConversations(dynamo, tables),
    rates: new DynamoRateLimits({ client: dynamo, table: tables.state, now: systemClock.now }),
    deferred: {
      defer: async () => Promise.reject(new Error('the benchmark is over the rate of its agent')),
      handOver: async () => Promise.reject(new Error('the benchmark asks no model after a person')),
    },
    // The agent has no queue of its own: it reads its rows (A13).
    replies: { send: async () => undefined, giveUp: async () => undefined },
    cards: {
      async refresh(pid, channel, revision, line) {
        cardsAsked.push({ pid, only: line?.only });
        await cards.refresh(pid, channel, revision, line);
      },
      isIdle: cards.isIdle,
      direct: cards.direct,
      ran: cards.ran,
      list: cards.list,
      home: cards.home,
      announce: cards.announce,
    },
    // Step Functions is not played here: each of these is one SDK call (shared/adapters/step-functions/workflow.ts).
    people: NO_DIRECTORY,
    workflow: {
      start: async (pid, expiresAt) => meter.count('StartExecution', JSON.stringify({ pid, expiresAt }).length),
      async completeWait(token) {
        meter.count('SendTaskSuccess', token.length);
        return 'woken';
      },
    },
    // One asynchronous call of a function (shared/adapters/lambda/resumer.ts).
    resumer: { resume: async (pid) => meter.count('Invoke', JSON.stringify({ pid, beside: true }).length) },
  };

  const agentDynamo = meter.watchDynamo(new DynamoDBClient(config), 'agent');
  const agentSqs = meter.watchSqs(new SQSClient(config), 'agent');
  const publish = sqsProposalQueue(agentSqs, proposals);
  const sent: Incoming[] = [];
  const client = (sleep?: () => Promise<void>) =>
    new CountersignClient({
      agent: AGENT,
      deployment: DEPLOYMENT,
      queueUrl: proposals,
      auditTable: tables.audit,
      reader: dynamoDecisionReader(agentDynamo, tables.audit),
      ...(sleep ? { sleep } : {}),
      queue: {
        async publish(raw, agent) {
          await publish.publish(raw, agent);
          const groupId = agent;
          sent.push({
            messageId: randomUUID(),
            raw,
            principal: 'AROABENCHBENCHBENCH12:agent',
            groupId,
            firstSentAt: Date.now(),
            rounds: 0,
          });
        },
      },
    });

  return {
    gate,
    history: dynamoVoteHistory(dynamo, tables),
    lists: dynamoCardLists(dynamo, tables),
    meter,
    client,
    cardsAsked,
    taskToken: TASK_TOKEN,
    /** The messages that were sent since it was asked last. */
    received: (): Incoming[] => sent.splice(0),
    close: () => {
      for (const one of [plain, dynamo, agentDynamo]) one.destroy();
      for (const one of [queues, sqs, agentSqs]) one.destroy();
    },
  };
}

interface IndexShape {
  readonly name: string;
  readonly partition: string;
  readonly sort: string;
  readonly sortType: 'S' | 'N';
  readonly projection: Projection;
}

/** As `cdk/constructs/data/tables.ts` makes them. */
export async function makeTables(client: DynamoDBClient, { state, audit }: Tables): Promise<void> {
  const table = (TableName: string, indexes: readonly IndexShape[]) =>
    client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          ...[...new Set(['pk', 'sk', ...indexes.map(({ partition }) => partition)])].map((AttributeName) => ({
            AttributeName,
            AttributeType: 'S' as const,
          })),
          ...indexes.map(({ sort, sortType }) => ({ AttributeName: sort, AttributeType: sortType })),
        ],
        KeySchema: keys('pk', 'sk'),
        GlobalSecondaryIndexes: indexes.map(({ name, partition, sort, projection }) => ({
          IndexName: name,
          KeySchema: keys(partition, sort),
          Projection: projection,
        })),
      }),
    );
  await table(state, [
    { name: 'byDue', partition: 'due', sort: 'dueAt', sortType: 'N', projection: { ProjectionType: 'ALL' } },
    {
      name: LOOK_INDEX,
      partition: 'look',
      sort: 'lookAt',
      sortType: 'S',
      projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...LOOK_ATTRIBUTES] },
    },
  ]);
  await table(audit, [
    { name: 'byAgent', partition: 'agent', sort: 'at', sortType: 'S', projection: { ProjectionType: 'KEYS_ONLY' } },
    {
      name: 'byFacet',
      partition: 'agent',
      sort: 'facet',
      sortType: 'S',
      projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['session', 'waited'] },
    },
  ]);
  for (const TableName of [state, audit])
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName });
}

const keys = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

async function makeQueue(client: SQSClient, QueueName: string): Promise<string> {
  const fifo = QueueName.endsWith('.fifo') ? { Attributes: { FifoQueue: 'true' } } : {};
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName, ...fifo }));
  return QueueUrl;
}

/** S3 is not played here: each text that its adapter would put is one SDK call (shared/adapters/s3/input-store.ts). */
function countedInputs(meter: Meter): InputStore {
  const put = new Set<string>();
  return {
    async put(digest, text, kind = 'input') {
      if (kind !== 'input' && put.has(digest)) return;
      put.add(digest);
      meter.count(PUT_TEXT, Buffer.byteLength(text));
    },
    get: async () => Promise.reject(new Error('the benchmark sends no large input')),
  };
}
