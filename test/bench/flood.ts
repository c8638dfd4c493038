/**
 * Measures how one agent that floods the deployed gate slows another one down (G34, A14).
 *
 * Prints the other agent's p95 beside its p95 alone, for decisions and for calls that the gate runs; the end of the
 * flood's calls; and how many cards people get of it. Figures are printed, not asserted.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateFunctionCommand, LambdaClient, waitUntilFunctionActiveV2 } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { dynamoAuditLog } from '../../shared/adapters/dynamodb/audit/audit-log.ts';
import { dynamoDecisionReader } from '../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { dynamoResultStore } from '../../shared/adapters/dynamodb/proposals/result-store.ts';
import { sqsProposalQueue } from '../../shared/adapters/sqs/proposal-queue.ts';
import { CountersignClient } from '../../shared/client/index.ts';
import type { Decision } from '../../shared/contract/index.ts';
import { pidOf } from '../../shared/domain/digest.ts';
import { clientConfig } from '../local/endpoint/index.ts';
import { clientsOf, codeOf, makeRole } from '../local/endpoint/testing/fixtures.ts';
import { type LocalGate, startLocalGate } from '../local/gate/gate.ts';
import { startEcho } from './support/echo.ts';
import { ms, note, printTable } from './support/print.ts';
import { median, p95, quantile } from './support/stats.ts';

const CALM_CALLS = 30;
const PAUSE_MS = 150;
const FLOOD = 150;
/** Three times what the flooder may send, and what two cores work beside the rest: more would measure the machine, not the gate. */
const FLOOD_PER_SECOND = 15;
const FLOOD_RUNS = 60;
const RISKY = 60;
const MAX_WAIT_MS = 180_000;

const POLICY = `
people: { alice: { team: T0DEMO, user: U0ALICE, name: Alice }, olga: { team: T0DEMO, user: U0OLGA, name: Olga } }
agents:
  calm: { owner: olga }
  flooder: { owner: olga, rate: { perSecond: 5, burst: 10 } }
channels: { approvals: { team: T0DEMO, id: C0APPROVALS } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { ask: ["Bash(git push:*)"], allow: [Read, Slow, Quick] }
tools:
  Slow: { permissions: [Network], effect: Pure, target: { lambda: bench-slow } }
  Quick: { permissions: [Network], effect: Pure, target: { lambda: bench-quick } }
guardrails: { environments: { production: { maxConcurrent: 8, ratePerSecond: 1000 } } }
`;

const folder = mkdtempSync(join(tmpdir(), 'countersign-flood-'));
const policyFile = join(folder, 'countersign.yaml');
writeFileSync(policyFile, POLICY);
const gate = await startLocalGate({
  policyFile,
  slackPostIntervalMs: 20,
  onProgress: (line) => line.startsWith('cdk ') || note(`${line} …`),
});
try {
  await makeTools(gate);
  // Only the calm agent looks often, to be measured exactly: three hundred that did would be the load themselves.
  const [calm, flooder] = await Promise.all([agent('calm', 20), agent('flooder', 60_000)]);
  await decisions(calm, flooder);
  await runs(calm, flooder);
  await cards(flooder);
  const [load = 0] = loadavg();
  note(
    `Load of this machine: ${load.toFixed(1)} on ${availableParallelism()} cores; above its cores, times say little.`,
  );
} finally {
  await gate.stop();
  rmSync(folder, { recursive: true, force: true });
}

type Agent = Awaited<ReturnType<typeof agent>>;

async function agent(name: string, longestSleepMs: number) {
  const { Deployment, ProposalsQueueUrl, AuditTable, StateTable, ExecutionsQueueUrl = '' } = gate.outputs;
  const config = clientConfig({ ...gate.endpoint, env: await gate.environmentOf('Agent', name) });
  const [sqs, dynamodb] = [new SQSClient(config), new DynamoDBClient(config)];
  const client = new CountersignClient({
    agent: name,
    deployment: Deployment,
    queueUrl: ProposalsQueueUrl,
    auditTable: AuditTable,
    queue: sqsProposalQueue(sqs, ProposalsQueueUrl),
    reader: dynamoDecisionReader(dynamodb, AuditTable),
    executions: sqsProposalQueue(sqs, ExecutionsQueueUrl),
    results: dynamoResultStore(dynamodb, { state: StateTable }),
    sleep: (wait) => delay(Math.min(wait, longestSleepMs)),
  });
  const propose = (toolName: string, input: Record<string, unknown>) => client.propose({ toolName, input });
  const decided = (id: string): Promise<Decision> => client.wait(id, { timeout: MAX_WAIT_MS });
  return {
    propose,
    decided,
    async decide(): Promise<Trip> {
      const sent = Date.now();
      const began = performance.now();
      const id = await propose('Read', { file_path: `/workspace/${randomUUID()}` });
      const { outcome } = await decided(id);
      if (outcome !== 'approved') throw new Error(`an allowed call was ${outcome}`);
      return { took: performance.now() - began, sent, pid: pidOf(Deployment, name, id) };
    },
    /** Approved before; from the request to its result. */
    async run(toolName: string): Promise<{ readonly took: number; readonly status: string; readonly code: string }> {
      const input = { id: randomUUID() };
      const id = await propose(toolName, input);
      const decision = await decided(id);
      const began = performance.now();
      const { status, error } = await client.runApproved(decision, id, { toolName, input }, { timeout: MAX_WAIT_MS });
      return { took: performance.now() - began, status, code: error?.code ?? '' };
    },
  };
}

/** One decision as its agent saw it: milliseconds, and when it was sent. */
interface Trip {
  readonly took: number;
  readonly sent: number;
  readonly pid: string;
}

/** Where the time of a decision went, by its record: until its work began, in it, and from there to the agent's read. */
async function phasesOf({ took, sent, pid }: Trip): Promise<readonly number[]> {
  const { endpoint, outputs } = gate;
  const log = dynamoAuditLog(new DynamoDBClient(clientConfig(endpoint)), {
    audit: outputs.AuditTable,
    state: outputs.StateTable,
  });
  const [record] = await log.ofProposal('calm', pid);
  if (!record) throw new Error('a decision that the agent read is not on the record');
  const work = (record.entry.durationUs ?? 0) / 1000;
  const waited = Date.parse(record.entry.recordedAt) - work - sent;
  return [took, waited, work, took - waited - work];
}

/** As many as there are, with a pause between them: what an agent does that minds its own business. */
async function inTurn<Result>(one: () => Promise<Result>): Promise<Result[]> {
  const times: Result[] = [];
  for (let index = 0; index < CALM_CALLS; index++) {
    times.push(await one());
    await delay(PAUSE_MS);
  }
  return times;
}

async function beside<Result>(one: () => Promise<Result>, flood: () => Promise<unknown>) {
  // Unmeasured: on AWS each instance that a flood starts has a machine of its own, here all start on the calm agent's.
  await flood();
  for (let index = 0; index < 5; index++) await one();
  const alone = await inTurn(one);
  const flooding = flood();
  flooding.catch(() => undefined);
  const flooded = await inTurn(one);
  await flooding;
  return { alone, flooded };
}

function print(title: string, { alone, flooded }: { alone: readonly number[]; flooded: readonly number[] }): void {
  const row = (name: string, times: readonly number[]) => [name, ms(median(times)), ms(p95(times))];
  const ratio = ['ratio', (median(flooded) / median(alone)).toFixed(2), (p95(flooded) / p95(alone)).toFixed(2)];
  printTable(title, ['the calm agent', 'p50', 'p95'], [row('alone', alone), row('beside the flood', flooded), ratio]);
}

/** At the flood's own rate. */
function paced<Result>(one: (n: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(
    Array.from({ length: FLOOD }, async (_, n) => {
      await delay((n * 1000) / FLOOD_PER_SECOND);
      return one(n);
    }),
  );
}

async function decisions(calm: Agent, flooder: Agent): Promise<void> {
  const outcomes = new Map<string, number>();
  let flooding = 0;
  const flood = async () => {
    outcomes.clear();
    const began = performance.now();
    const ids = await paced((n) => flooder.propose('Read', { file_path: `/workspace/${n}` }));
    const outcomeOf = (id: string) =>
      flooder.decided(id).then(
        ({ outcome }) => outcome,
        () => `undecided after ${MAX_WAIT_MS / 1000} s`,
      );
    for (const outcome of await Promise.all(ids.map(outcomeOf)))
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    flooding = performance.now() - began;
  };
  const echo = await startEcho(gate.endpoint);
  const echoed = async () => {
    await paced(() => echo.send(randomUUID()));
  };
  const { alone, flooded } = await beside(calm.decide, flood);
  const rest = await beside(calm.decide, echoed);
  const rows = async (name: string, trips: readonly Trip[]) => {
    const phases = await Promise.all(trips.map(phasesOf));
    const at = (share: number) => (index: number) =>
      quantile(
        phases.map((phase) => phase[index] ?? 0),
        share,
      );
    return [0.5, 0.95].map((share) => [name, `p${share * 100}`, ...[0, 1, 2, 3].map(at(share)).map(ms)]);
  };
  printTable(
    `A decision, while another agent sends ${FLOOD} proposals, ${FLOOD_PER_SECOND} a second`,
    ['the calm agent', '', 'whole', 'until its work begins', 'work', 'written and read'],
    [
      ...(await rows('alone', alone)),
      ...(await rows('beside the flood', flooded)),
      ...(await rows('alone again', rest.alone)),
      ...(await rows('beside as many messages for an echo', rest.flooded)),
    ],
  );
  const summary = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  note(
    `Of the flood: ${summary} after ${Math.round(flooding / 1000)} s at 5 a second; ${await deadLetters()} dead letters.`,
  );
}

async function runs(calm: Agent, flooder: Agent): Promise<void> {
  const outcomes = new Map<string, number>();
  const flood = async () => {
    outcomes.clear();
    const lost = { status: `no result after ${MAX_WAIT_MS / 1000} s`, code: '' };
    const ran = await Promise.all(Array.from({ length: FLOOD_RUNS }, () => flooder.run('Slow').catch(() => lost)));
    for (const { status, code } of ran) {
      const name = code ? `${status} (${code})` : status;
      outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
    }
  };
  const run = async () => (await calm.run('Quick')).took;
  print(`A call that the gate runs, while another agent has ${FLOOD_RUNS} slow ones run`, await beside(run, flood));
  note(
    `Of the flood: ${[...outcomes].map(([name, count]) => `${count} ${name}`).join(', ')}. A refused one keeps its permit.`,
  );
}

async function cards(flooder: Agent): Promise<void> {
  const ids = await Promise.all(
    Array.from({ length: RISKY }, (_, n) => flooder.propose('Bash', { command: `git push ${n}` })),
  );
  const refusals: string[] = [];
  for (const id of ids)
    void flooder.decided(id).then(
      ({ reasonCode }) => refusals.push(reasonCode),
      () => undefined,
    );
  const shown = () => gate.slack.messages('C0APPROVALS').length;
  const patience = performance.now() + MAX_WAIT_MS;
  // Each is answered, or its card is there.
  while (refusals.length + shown() < RISKY && performance.now() < patience) await delay(100);
  const full = refusals.filter((code) => code === 'too_many_waiting').length;
  note(
    `${RISKY} risky proposals of one agent at once: ${shown()} cards, ${RISKY - refusals.length} wait for people, ${full} are answered too_many_waiting, ${refusals.length - full} otherwise.`,
  );
}

async function deadLetters(): Promise<number> {
  const root = clientsOf(gate.endpoint);
  const { QueueUrls = [] } = await root.sqs.send(new ListQueuesCommand({}));
  const counts = await Promise.all(
    QueueUrls.filter((url) => url.includes('Dead')).map(async (QueueUrl) => {
      const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] });
      return Number((await root.sqs.send(asked)).Attributes?.['ApproximateNumberOfMessages'] ?? 0);
    }),
  );
  return counts.reduce((sum, one) => sum + one, 0);
}

async function makeTools({ endpoint }: LocalGate): Promise<void> {
  const lambda = new LambdaClient(clientConfig(endpoint));
  const role = await makeRole(clientsOf(endpoint), [{ Action: '*' }]);
  const body = {
    'bench-slow': 'await new Promise((done) => setTimeout(done, 300)); return {};',
    'bench-quick': 'return {};',
  };
  for (const [FunctionName, code] of Object.entries(body)) {
    const Code = { ZipFile: codeOf(code) };
    const facts = { Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' } as const;
    await lambda.send(
      new CreateFunctionCommand({ FunctionName, Role: role.arn, Code, ...facts, Architectures: ['arm64'] }),
    );
    await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: 60, minDelay: 0.1 }, { FunctionName });
  }
}
