/**
 * Checks that the deployed gate runs approved calls once, within the guardrails (A19).
 *
 * Targets: a function, an HTTPS endpoint and an MCP server.
 */
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateFunctionCommand, waitUntilFunctionActiveV2 } from '@aws-sdk/client-lambda';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { beforeAll, expect, test } from 'vitest';
import { dynamoResultStore } from '../../shared/adapters/dynamodb/proposals/result-store.ts';
import { sqsProposalQueue } from '../../shared/adapters/sqs/proposal-queue.ts';
import type { CountersignClient } from '../../shared/client/client.ts';
import type { CallResult } from '../../shared/contract/index.ts';
import { sampleServer } from '../contract/support/mcp-server.ts';
import { codeOf } from '../local/endpoint/testing/fixtures.ts';
import { INVENTED_SECRETS } from '../support/invented-secrets.ts';
import { e2eGate } from './gate.ts';
import { type Agent, agentNamed, newId } from './harness/agents.ts';
import { functionNamed, invoke } from './harness/functions.ts';
import { without } from './harness/rights.ts';
import { allRows, entriesOf } from './harness/rows.ts';
import { ALICE, approve, cardOf } from './harness/slack.ts';
import { until } from './harness/until.ts';

let runner: Agent;
let client: CountersignClient;
let serverVersion = 1;
let answers: { status: number; body: string; headers?: Record<string, string> };
let onceCalls = 0;
let probeDown = true;
let probed: string[] = [];
let dying: Promise<boolean>;
let slowBegan = false;
/** The body that RunSecret received. */
let secretBody = '';

beforeAll(async () => {
  const gate = await e2eGate();
  runner = await agentNamed('runner');
  gate.tools.serve('/echo', async (request, response) => {
    const body = await text(request);
    if (body.includes('header')) secretBody = body;
    if (body.includes('slow')) {
      slowBegan = true;
      await delay(3_000);
    }
    response.writeHead(200).end(body);
  });
  gate.tools.serve('/once', (_, response) => {
    onceCalls += 1;
    response.writeHead(answers.status, answers.headers).end(answers.body);
  });
  gate.tools.serve('/probe', (_, response) => void response.writeHead(probeDown ? 503 : 200).end('{}'));
  gate.tools.serve('/mcp', async (request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    await sampleServer(serverVersion).connect(transport as Transport);
    await transport.handleRequest(request, response);
  });
  const { StateTable = '', ExecutionsQueueUrl = '' } = gate.outputs;
  client = runner.clientWith({
    executions: sqsProposalQueue(runner.sqs, ExecutionsQueueUrl),
    results: dynamoResultStore(runner.dynamodb, { state: StateTable }),
  });
  const { lambda } = gate.root;
  const { role } = await functionNamed('execute-tool');
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName: 'e2e-adder',
      Role: `arn:aws:iam::000000000000:role/${role}`,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Code: { ZipFile: codeOf('return { sum: event.input.a + event.input.b, key: event.idempotencyKey };') },
    }),
  );
  await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: 60, minDelay: 0.1 }, { FunctionName: 'e2e-adder' });
  // The lease of the dead probe ends while the other tests run.
  dying = leaveADeadProbe();
  dying.catch(() => undefined);
}, 300_000);
async function run(toolName: string, input: Record<string, unknown>): Promise<CallResult & { readonly pid: string }> {
  const proposalId = newId();
  await client.propose({ proposalId, toolName, input });
  const decision = await client.wait(proposalId, { timeout: 150_000 });
  const result = await client.runApproved(decision, proposalId, { toolName, input }, { timeout: 150_000 });
  return { ...result, pid: runner.pid(proposalId) };
}

test('a function, an HTTPS endpoint and an MCP tool give their output; each is on the record', async () => {
  const [added, echoed, looked] = await Promise.all([
    run('RunAdd', { a: 2, b: 3 }),
    run('RunEcho', { user: 'ann', password: 'hunter2' }),
    run('mcp__desk__look', { drawer: 7 }),
  ]);
  expect(added).toMatchObject({
    status: 'succeeded',
    output: { sum: 5, key: expect.stringMatching(/^[0-9a-f]{32}$/) },
  });
  expect(echoed).toMatchObject({ status: 'succeeded', output: { user: 'ann' }, redactions: ['password'] });
  expect(JSON.stringify(echoed)).not.toContain('hunter2');
  expect(looked).toMatchObject({ status: 'succeeded', output: { found: 'drawer 7' } });
  for (const { pid } of [added, echoed, looked]) {
    const ran = await until('the record of the run', async () => (await entriesOf('runner', pid, 'ran'))[0]);
    expect(ran).toMatchObject({ reasonCode: 'succeeded', ran: { by: 'gate' } });
  }
});

test('G35 what cannot be read, under the id of a run, takes neither its result nor its place on the record', async () => {
  const { outputs } = await e2eGate();
  const [proposalId, requestId] = [newId(), newId()];
  const input = { slow: 1 };
  await client.propose({ proposalId, toolName: 'RunEcho', input });
  const decision = await client.wait(proposalId, { timeout: 150_000 });
  const permitId = decision.calls[0]?.permit?.permitId;
  const request = { proposalId, callId: 'call', permitId, toolName: 'RunEcho', input, requestId };
  const queue = sqsProposalQueue(runner.sqs, outputs['ExecutionsQueueUrl'] ?? '');
  await queue.publish(JSON.stringify(request), 'runner');
  await until('the beginning of the run', () => slowBegan);
  await queue.publish(JSON.stringify({ ...request, limit: 1 }), 'runner');
  const pid = runner.pid(proposalId);
  const [ran] = await until('the record of the run', async () => {
    const found = await entriesOf('runner', pid, 'ran');
    return found.length ? found : undefined;
  });
  expect(ran).toMatchObject({ reasonCode: 'succeeded', ran: { by: 'gate', callId: 'call' } });
  const results = dynamoResultStore(runner.dynamodb, { state: outputs['StateTable'] ?? '' });
  await until('the refusal', async () =>
    (await entriesOf('runner', pid, 'refused')).find(({ reasonCode }) => reasonCode === 'invalid_request'),
  );
  expect(await results.read('runner', pid, requestId)).toMatchObject({ status: 'succeeded', output: input });
});

test('an MCP tool that changed is not run, and its permit stays usable', async () => {
  serverVersion = 2;
  expect(await run('mcp__desk__look', { drawer: 7 })).toMatchObject({
    status: 'refused',
    permit: 'usable',
    error: { category: 'AuthError', code: 'ToolChanged' },
  });
  serverVersion = 1;
});

test('another agent reads none of its results', async () => {
  const { outputs } = await e2eGate();
  const other = await agentNamed('builder');
  const results = dynamoResultStore(other.dynamodb, { state: outputs['StateTable'] ?? '' });
  await expect(results.read('runner', runner.pid('x'), 'r1')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test('G30 with the limiters down, what mutates is refused before it is called, and what only reads may pass', async () => {
  const [once, echo] = await without(
    'execute-tool',
    'dynamodb:UpdateItem',
    async () => [await run('RunAdd', { a: 1, b: 1 }), await run('RunEcho', { q: 1 })],
    'rate#',
  );
  expect(once).toMatchObject({ status: 'refused', permit: 'usable', error: { code: 'StateUnavailable' } });
  expect(echo).toMatchObject({ status: 'succeeded' });
});

test('the redeem function grants one run of it, and no second', async () => {
  const proposalId = newId();
  const input = { a: 1, b: 1 };
  await client.propose({ proposalId, toolName: 'RunAdd', input });
  const decision = await client.wait(proposalId, { timeout: 150_000 });
  const permitId = decision.calls[0]?.permit?.permitId;
  const request = { agent: 'runner', proposalId, callId: 'call', permitId, toolName: 'RunAdd', input };
  const { answer } = await invoke('redeem', request);
  expect(answer).toMatchObject({ granted: true, effect: 'NonIdempotentWrite' });
  // The wait for admission counts (R3-066).
  const { timeoutMs } = answer as { timeoutMs: number };
  expect(timeoutMs > 0 && timeoutMs <= 8000).toBe(true);
  expect((await invoke('redeem', request)).answer).toMatchObject({
    granted: false,
    error: { code: 'already_consumed' },
  });
  const { redemptionId } = answer as { redemptionId: string };
  const report = {
    agent: 'runner',
    redemptionId,
    proposalId,
    callId: 'call',
    permitId,
    actionDigest: decision.calls[0]?.actionDigest,
    status: 'succeeded',
    startedAt: new Date().toISOString(),
    durationMs: 3,
  };
  expect((await invoke('record-outcome', { ...report, redemptionId: 'guess' })).answer).toMatchObject({
    recorded: false,
  });
  const unread = await invoke('record-outcome', { ...report, durationMs: 'long' });
  expect(unread).toMatchObject({ error: undefined, answer: { recorded: false, code: 'invalid_outcome' } });
  expect((await invoke('record-outcome', report)).answer).toEqual({ recorded: true });
  const again = await invoke('record-outcome', { ...report, status: 'failed' });
  expect(again.answer).toMatchObject({ recorded: false, code: 'already_recorded' });
  const refused = await entriesOf('runner', runner.pid(proposalId), 'refused');
  expect(refused.map(({ reasonCode }) => reasonCode).toSorted()).toEqual([
    'already_consumed',
    'already_recorded',
    'unknown_permit',
  ]);
  expect(await entriesOf('runner', runner.pid(proposalId), 'ran')).toMatchObject([{ ran: { by: 'holder' } }]);
});

test('A20 what people approved runs with its secrets, which the gate kept sealed; nobody is sent them, and no row holds them', async () => {
  const secret = INVENTED_SECRETS.find(({ kind }) => kind === 'github')?.secret ?? '';
  const proposalId = newId();
  const input = { header: `Bearer ${secret}`, amount: 7 };
  await client.propose({ proposalId, toolName: 'RunSecret', input });
  await approve(ALICE, await cardOf(runner.pid(proposalId)));
  const decision = await client.wait(proposalId, { timeout: 150_000 });
  const result = await client.runApproved(decision, proposalId, { toolName: 'RunSecret' }, { timeout: 150_000 });
  expect(JSON.parse(secretBody)).toEqual(input);
  expect(result).toMatchObject({ status: 'succeeded', output: { amount: 7 }, redactions: ['header'] });
  const { outputs } = await e2eGate();
  const rows = await Promise.all([outputs['StateTable'] ?? '', outputs.AuditTable].map(allRows));
  expect(JSON.stringify([result, rows])).not.toContain(secret);
});

test('R3-044 R3-047 a failing tool opens its circuit for everybody; later one call probes it, and it closes', async () => {
  answers = { status: 500, body: 'password=hunter2' };
  for (const n of [1, 2])
    expect(await run('RunOnce', { n })).toMatchObject({ status: 'unknown', error: { code: 'ToolFailed' } });
  // On a slow machine a call may come when the circuit takes a probe again: that one fails, and the circuit stays open.
  const open = await until('a call to meet the open circuit', async () => {
    const before = onceCalls;
    const result = await run('RunOnce', { n: newId() });
    return result.status === 'refused' && { result, further: onceCalls - before };
  });
  expect(open).toMatchObject({
    result: { permit: 'usable', error: { category: 'PolicyError', code: 'CircuitOpen' } },
    further: 0,
  });
  answers = { status: 200, body: '{"done":true}' };
  const closed = await until('the circuit to close', async () => {
    const result = await run('RunOnce', { n: newId() });
    return result.status === 'succeeded' ? result : undefined;
  });
  expect(closed).toMatchObject({ output: { done: true } });
  expect(await run('RunOnce', { n: 5 })).toMatchObject({ status: 'succeeded' });
  const { slack } = await e2eGate();
  const words = 'Nobody knows whether a call took effect: RunOnce';
  await until(
    'people to hear of the unknown outcomes',
    () => slack.messages('C0APPROVALS', ({ text }) => text.startsWith(words))[0],
  );
});

test('G31 a prober that died leaves its place to the next: refused while it is leased, tried again after it, then closed', async () => {
  expect(await dying).toBe(true);
  expect(probed).toContain('half-open');
  probeDown = false;
  const closed = await until('the lease of the dead prober to end', async () => {
    const result = await run('RunProbe', { n: newId() });
    return result.status === 'succeeded' || undefined;
  });
  expect(closed).toBe(true);
  expect(await run('RunProbe', { n: newId() })).toMatchObject({ status: 'succeeded' });
});

/**
 * Opens the circuit of RunProbe; somebody redeems a permit as its probe and is never heard of again. True once others are refused for that:
 * on a slow machine the probe's lease may end before they ask, and then it takes another one.
 */
async function leaveADeadProbe(): Promise<boolean> {
  await run('RunProbe', { n: newId() });
  return until('others to be refused while somebody probes', async () => {
    const proposalId = newId();
    const input = { n: proposalId };
    await client.propose({ proposalId, toolName: 'RunProbe', input });
    const decision = await client.wait(proposalId, { timeout: 150_000 });
    const permitId = decision.calls[0]?.permit?.permitId;
    const request = { agent: 'runner', proposalId, callId: 'call', permitId, toolName: 'RunProbe', input };
    const { answer } = await invoke('redeem', request);
    if (!(answer as { readonly granted: boolean }).granted) return undefined;
    const { status, error } = await run('RunProbe', { n: newId() });
    probed = [String(error?.details['circuitState'])];
    return (status === 'refused' && probed.includes('half-open')) || undefined;
  });
}
