/**
 * Measures what each endpoint costs and how fast the gate is on it: `npm run bench:endpoints`.
 *
 * Installs into an empty cache of its own with `--install`. Figures are printed, not asserted; the whole suite's time
 * is what `npm run test:e2e` prints.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { dynamoDecisionReader } from '../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { sqsProposalQueue } from '../../shared/adapters/sqs/proposal-queue.ts';
import { CountersignClient } from '../../shared/client/client.ts';
import { cacheDirectory } from '../../shared/dev/aws/cache.ts';
import { clientConfig, startEndpoint } from '../local/endpoint/index.ts';
import { ENDPOINTS, type EndpointName } from '../local/endpoint/start-endpoint.ts';
import { type LocalGate, startLocalGate } from '../local/gate/gate.ts';
import { quantile } from './support/stats.ts';

const POLICY = 'test/e2e/policy.yaml';
const DECISIONS = 40;

const seconds = (began: number): string => `${((performance.now() - began) / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
const print = (name: EndpointName, what: string, figure: string) => console.log(`${name}\t${what}\t${figure}`);

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** The resident memory of every process of a group. */
function memoryOf(leader: number): number {
  const fields = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      } catch {
        return [];
      }
    });
  return fields
    .filter((field) => Number(field[2]) === leader)
    .reduce((sum, field) => sum + Number(field[21]) * 4096, 0);
}

/** Milliseconds from SendMessage to the decision's being there to read, one after the other, warm. */
async function decisions(gate: LocalGate): Promise<number[]> {
  const config = clientConfig({ ...gate.endpoint, env: await gate.environmentOf('Agent', 'builder') });
  const { Deployment, ProposalsQueueUrl, AuditTable } = gate.outputs;
  const client = new CountersignClient({
    agent: 'builder',
    deployment: Deployment,
    queueUrl: ProposalsQueueUrl,
    auditTable: AuditTable,
    queue: sqsProposalQueue(new SQSClient(config), ProposalsQueueUrl),
    reader: dynamoDecisionReader(new DynamoDBClient(config), AuditTable),
    sleep: (ms) => new Promise((done) => setTimeout(done, Math.min(ms, 10))),
  });
  const times: number[] = [];
  for (let n = -5; n < DECISIONS; n++) {
    const began = performance.now();
    await client.wait(await client.propose({ toolName: 'Bash', input: { command: 'git status' } }), {
      timeout: 60_000,
    });
    if (n >= 0) times.push(performance.now() - began);
  }
  return times;
}

async function install(name: EndpointName): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-endpoints-'));
  const began = performance.now();
  const env = { ...process.env, COUNTERSIGN_ENDPOINT: name, COUNTERSIGN_CACHE: folder, AWS_ENDPOINT_URL: '' };
  await (await startEndpoint({ env })).stop();
  print(name, 'install and first start, from an empty cache', seconds(began));
  print(name, 'size of the cache after it', megabytes(sizeOf(cacheDirectory(env))));
  await rm(folder, { recursive: true });
}

async function measure(name: EndpointName): Promise<void> {
  process.env['COUNTERSIGN_ENDPOINT'] = name;
  const started = performance.now();
  const endpoint = await startEndpoint();
  print(name, 'start', seconds(started));
  print(name, 'memory after the start', megabytes(memoryOf(Number(endpoint.pid))));
  await endpoint.stop();
  const deploying = performance.now();
  const gate = await startLocalGate({ policyFile: POLICY, stackName: 'Bench', app: 'node test/e2e/app.ts' });
  print(name, 'start, bootstrap and deployment of the whole gate', seconds(deploying));
  const times = await decisions(gate);
  print(name, `from SendMessage to the decision, p50 of ${times.length}`, `${quantile(times, 0.5).toFixed(0)} ms`);
  print(name, 'the same, p95', `${quantile(times, 0.95).toFixed(0)} ms`);
  print(name, 'memory with the gate warm', megabytes(memoryOf(Number(gate.endpoint.pid))));
  await gate.stop();
}

delete process.env['AWS_ENDPOINT_URL'];
for (const name of ENDPOINTS) {
  if (process.argv.includes('--install')) await install(name);
  await measure(name);
}
