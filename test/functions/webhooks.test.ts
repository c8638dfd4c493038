/**
 * Checks webhooks as they are sent: a signed CloudEvent each.
 *
 * Failed ones are tried again for a day and a half, and none follows a redirect.
 */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { detailOf } from '../../shared/adapters/eventbridge/event-detail.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import { WEBHOOK_PAUSES_S } from '../../shared/config/schema/defaults.ts';
import { type Aws, AwsFault } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { startIntakeAws } from './support/intake-aws.ts';

/** The longest run of a function, in seconds. */
const LONGEST_RUN_S = 900;
const KEY = Buffer.from('a key of the receiver, and of us');
let aws: Aws;
let sender: Deployed;
let reply: (response: ServerResponse) => void;
const heard: { readonly headers: IncomingHttpHeaders; readonly body: string; readonly url: string }[] = [];
const receiver = createServer(async (request, response) => {
  heard.push({ headers: request.headers, body: (await request.toArray()).join(''), url: request.url ?? '' });
  reply(response);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  aws = await startIntakeAws({
    GetSecretValue: ({ SecretId }) => {
      if (SecretId === 'missing') throw new AwsFault('ResourceNotFoundException');
      return { SecretString: SecretId === 'empty' ? '  ' : `whsec_${KEY.toString('base64')}` };
    },
    // SQS counts its twelve hours from the receipt.
    ChangeMessageVisibility({ VisibilityTimeout }) {
      if (Number(VisibilityTimeout) > 12 * 3_600 - LONGEST_RUN_S) throw new AwsFault('InvalidParameterValue');
      return {};
    },
  });
  const to = (path: string, secret: string) => `{ url: 'http://127.0.0.1:${port}/${path}', secret: ${secret} }`;
  const policy = loadPolicy(
    `agents: {}
webhooks:
  siem: ${to('in', 'siem-key')}
  unfilled: ${to('unfilled', 'missing')}
  empty: ${to('empty', 'empty')}
  gone: { url: 'http://127.0.0.1:9/', secret: siem-key }
`,
    'test.yaml',
  );
  const env = { DEPLOYMENT: 'shop', WEBHOOK_QUEUE_URL: `${aws.url}/000000000000/webhooks` };
  sender = await deploy('send-webhooks', { policy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await sender?.stop();
  await aws?.stop();
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(() => {
  heard.length = 0;
  aws.calls.length = 0;
  reply = (response) => response.writeHead(204).end();
});

const event = detailOf(
  {
    ...({ name: 'ApprovalOpened', eventVersion: 1, at: Date.parse('2026-11-23T05:00:00.000Z') } as const),
    ...{ pid: 'a'.repeat(64), proposalId: 'refund-17', agentId: 'billing', detail: { group: 'platform' } },
  },
  { deployment: 'shop', requestId: 'r-1' },
);

const record = (webhook: string, received = 1, told: unknown = event) => ({
  messageId: `${webhook}-${received}`,
  receiptHandle: `handle-${webhook}`,
  body: JSON.stringify({ webhook, event: told }),
  attributes: { ApproximateReceiveCount: String(received) },
});

async function sends(...Records: ReturnType<typeof record>[]): Promise<readonly string[]> {
  const { value, error } = await sender.invoke<{ batchItemFailures: { itemIdentifier: string }[] }>({ Records });
  expect(error).toBeUndefined();
  return (value?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
}
const hidden = () => aws.asked('ChangeMessageVisibility').map(({ VisibilityTimeout }) => VisibilityTimeout);

test('a message is a CloudEvent alone, signed over id, time and body', async () => {
  expect(await sends(record('siem'))).toEqual([]);
  const [{ headers, body } = { headers: {} as IncomingHttpHeaders, body: '' }] = heard;
  expect(headers['content-type']).toBe('application/cloudevents+json');
  expect(JSON.parse(body)).toEqual({
    ...{ specversion: '1.0', id: event['id'], source: '/countersign/shop', subject: 'refund-17' },
    ...{ type: 'dev.countersign.approval.opened.v1', time: '2026-11-23T05:00:00.000Z' },
    ...{ datacontenttype: 'application/json' },
    data: { pid: 'a'.repeat(64), proposalId: 'refund-17', agentId: 'billing', group: 'platform' },
  });
  const { 'webhook-id': id, 'webhook-timestamp': seconds } = headers;
  expect(id).toBe(event['id']);
  expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(60);
  const signature = createHmac('sha256', KEY).update(`${id}.${seconds}.${body}`).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${signature}`);
});

test('every try has the same id', async () => {
  reply = (response) => response.writeHead(500).end('no');
  expect(await sends(record('siem', 1))).toEqual(['siem-1']);
  expect(await sends(record('siem', 2))).toEqual(['siem-2']);
  expect(new Set(heard.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('what is not taken waits longer and longer, and is set aside after the last try', async () => {
  reply = (response) => response.writeHead(503).end();
  for (let received = 1; received <= WEBHOOK_PAUSES_S.length + 1; received += 1) await sends(record('siem', received));
  expect(hidden()).toEqual([...WEBHOOK_PAUSES_S, 0]);
  expect(WEBHOOK_PAUSES_S.reduce<number>((sum, pause) => sum + pause, 0)).toBeGreaterThan(24 * 3_600);
  expect(sender.log.join('\n')).not.toContain('could not be put back');
});

test('a receiver may ask for more time, within what SQS allows', async () => {
  reply = (response) => response.writeHead(429, { 'retry-after': '60' }).end();
  await sends(record('siem', 1));
  reply = (response) => response.writeHead(429, { 'retry-after': '999999' }).end();
  await sends(record('siem', 1));
  expect(hidden()).toEqual([60, 12 * 3_600 - LONGEST_RUN_S]);
  expect(sender.log.join('\n')).not.toContain('could not be put back');
});

test('a redirect is not followed', async () => {
  reply = (response) => response.writeHead(307, { location: '/elsewhere' }).end();
  expect(await sends(record('siem'))).toEqual(['siem-1']);
  expect(heard.map(({ url }) => url)).toEqual(['/in']);
});

test('a receiver that is gone, a secret that is missing and one that is empty hold up no other webhook', async () => {
  expect(await sends(record('gone'), record('unfilled'), record('empty'), record('siem'))).toEqual([
    'gone-1',
    'unfilled-1',
    'empty-1',
  ]);
  expect(heard.map(({ url }) => url)).toEqual(['/in']);
  const logged = sender.log.join('\n');
  for (const [webhook, reason] of [
    ['gone', 'not_reached'],
    ['unfilled', 'no_secret'],
    ['empty', 'no_secret'],
  ])
    expect(logged).toMatch(new RegExp(`"webhook":"${webhook}"[^\n]*"reason":"${reason}"`));
  expect(sender.log.join('\n')).not.toContain(KEY.toString('base64'));
});

test('what no webhook of the policy file is sent any longer is dropped', async () => {
  expect(await sends(record('removed'), record('siem', 1, { event: 'ApprovalOpened' }))).toEqual([]);
  expect(heard).toEqual([]);
});

test('a fault of the queue leaves the message to its own time', async () => {
  reply = (response) => response.writeHead(500).end();
  const failing = { ...record('siem'), receiptHandle: 'refused' };
  expect(await sends(failing)).toEqual(['siem-1']);
});

test('a message that cannot be read comes again alone: the others of its batch are sent once', async () => {
  const unread = { ...record('siem', 2), body: 'not JSON' };
  expect(await sends(record('siem'), unread)).toEqual(['siem-2']);
  expect(heard).toHaveLength(1);
});
