/**
 * Checks the events of a proposal on the account's bus.
 *
 * Ids in them lead to the record, and nothing of the input is in them.
 */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { CloudWatchClient, DescribeAlarmsCommand, GetDashboardCommand } from '@aws-sdk/client-cloudwatch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientConfig } from '../../local/endpoint/index.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { countersign } from '../harness/command.ts';
import { type EventTap, tapEvents } from '../harness/events.ts';
import { resource } from '../harness/resources.ts';
import { ALICE, approve, cardOf, OLGA } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

/** Not like a secret: what holds one is not approved from its card. */
const CANARY = 'canary-of-the-events';
let builder: Agent;
let events: EventTap;

beforeAll(async () => {
  [builder, events] = await Promise.all([agentNamed('builder'), tapEvents('countersign-e2e-events')]);
});
afterAll(() => events?.close());

it('of what people decide: opened, a click that does not count, a vote, the end, the decision', async () => {
  const id = await builder.run(`git push origin main # ${CANARY}`);
  const pid = builder.pid(id);
  const card = await cardOf(pid);
  await approve(OLGA, card);
  await approve(ALICE, card);
  expect((await builder.wait(id)).outcome).toBe('approved');

  const names = ['ApprovalOpened', 'ClickRefused', 'VoteCounted', 'ApprovalEnded', 'ProposalDecided'];
  const told = await events.toldOf(id, names);
  expect(told.map((one) => one['detail-type']).toSorted()).toEqual(names.toSorted());
  const { outputs } = await e2eGate();
  for (const { detail } of told) {
    expect(detail).toMatchObject({ eventVersion: 1, pid, agentId: 'builder', deployment: outputs.Deployment });
    expect(detail['requestId']).toEqual(expect.stringMatching(/^[0-9a-f-]{36}$/));
  }
  const decided = told.find((one) => one['detail-type'] === 'ProposalDecided')?.detail['detail'];
  expect(decided).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' }, waitedMs: expect.any(Number) });
  // Neither what was to run nor who clicked leaves the record.
  for (const secret of [CANARY, 'git push', ALICE, 'Alice', OLGA]) expect(JSON.stringify(told)).not.toContain(secret);
});

it('of what a rule decides: one event, with the rule', async () => {
  const id = await builder.run('rm -rf build');
  const [decided] = await events.toldOf(id, ['ProposalDecided']);
  expect(decided?.detail['detail']).toMatchObject({
    outcome: 'denied',
    decidedBy: { type: 'rule' },
    calls: [{ toolName: 'Bash', verdict: 'deny' }],
  });
});

it('a webhook of the policy file is told of the events that it names, signed, until it takes them, and again for an operator', async () => {
  const { tools, environmentOf } = await e2eGate();
  const began = new Date().toISOString();
  const heard: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const id = newId();
  tools.serve('/webhook', async (request, response) => {
    const body = (await request.toArray()).join('');
    const isMine = (JSON.parse(body) as { readonly subject?: string }).subject === id;
    if (isMine) heard.push({ headers: request.headers, body });
    response.writeHead(isMine && heard.length === 1 ? 503 : 204).end();
  });
  await builder.client.cancel(id);
  await until('the second try', async () => heard.length === 2);
  const [first, again] = heard;
  expect(again?.body).toBe(first?.body);
  expect(JSON.parse(first?.body ?? '')).toMatchObject({
    specversion: '1.0',
    type: 'dev.countersign.proposal.cancelled.v1',
    data: { pid: builder.pid(id), agentId: 'builder' },
  });
  const {
    'webhook-id': messageId,
    'webhook-timestamp': seconds,
    'webhook-signature': signature,
  } = again?.headers ?? {};
  expect(messageId).toBe(first?.headers['webhook-id']);
  const own = createHmac('sha256', 'sk-local').update(`${messageId}.${seconds}.${again?.body}`).digest('base64');
  expect(signature).toBe(`v1,${own}`);

  const replay = ['webhooks', 'replay', 'cancelled', '--since', began, '--event', String(messageId)];
  const done = await countersign(await environmentOf('Operator', 'oncall'), ...replay, '--reason', 'a drill');
  expect(done).toMatchObject({ code: 0, output: expect.stringContaining('(replayed)') });
  await until('the event of the record', async () => heard.length === 3);
  expect(heard[2]?.headers['webhook-id']).toBe(messageId);
  expect(JSON.parse(heard[2]?.body ?? '')).toMatchObject({ id: messageId, data: { pid: builder.pid(id) } });
});

async function cloudWatch(): Promise<CloudWatchClient> {
  return new CloudWatchClient(clientConfig((await e2eGate()).endpoint));
}

it('alarms are deployed', async () => {
  const { MetricAlarms = [] } = await (await cloudWatch()).send(new DescribeAlarmsCommand({ MaxRecords: 100 }));
  expect(MetricAlarms.map(({ MetricName }) => MetricName)).toEqual(
    expect.arrayContaining(['circuit_state', 'OldestDue', 'EventsLost']),
  );
});

it('a dashboard is deployed', async () => {
  const DashboardName = await resource('AWS::CloudWatch::Dashboard', 'GateDashboard');
  const { DashboardBody = '' } = await (await cloudWatch()).send(new GetDashboardCommand({ DashboardName }));
  expect(JSON.parse(DashboardBody)).toMatchObject({ widgets: expect.any(Array) });
});
