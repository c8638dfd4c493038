/**
 * Checks that cards are drawn and votes count soon after a secret of Slack was rotated.
 *
 * Two deployed bundles, a local Slack that takes one token alone, and a clock that the test moves.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REFUSALS } from '../../shared/adapters/slack/texts/refusals.ts';
import { FORM, signedHeaders } from '../local/slack/interactions/sign.ts';
import { type LocalSlack, startLocalSlack } from '../local/slack/server.ts';
import { type Aws, startAws } from './support/aws.ts';
import { BASE_ENV, type Deployed, deploy } from './support/deployed.ts';
import { ANN, askingPolicy, CHANNEL, type Row, TEAM, tableOf, waiting } from './support/waiting.ts';

const MINUTE = 61_000;
const BOT = 'U0BOT';

const rows: Row[] = [];
let slack: LocalSlack;
let aws: Aws;
let slackOut: Deployed;
let clicks: Deployed;
/** As Secrets Manager has them. */
const stored = { botToken: 'xoxb-old', signingSecret: 'old' };
/** The secret that Slack signs with. */
let signsWith = stored.signingSecret;
/** How far the clock of the function is ahead. */
let ahead = 0;

/** Slack's requests on their way to the function's URL. */
const door = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString('utf8');
  const headers = signedHeaders(signsWith, Math.floor((Date.now() + ahead) / 1_000), body, FORM);
  const event = { requestContext: { http: { method: 'POST' } }, headers, body, isBase64Encoded: false };
  const { value } = await clicks.invoke<{ readonly statusCode: number; readonly body: string }>(event);
  response.writeHead(value?.statusCode ?? 502).end(value?.body);
});

beforeAll(async () => {
  slack = await startLocalSlack({
    ...{ signingSecret: 'secret', botToken: stored.botToken, appId: 'A0TEST', appName: 'Countersign' },
    ...{ teamId: TEAM, teamName: 'Test', botUserId: BOT, ackTimeoutMs: 30_000 },
    users: [{ id: ANN, name: 'ann', realName: 'Ann' }],
    channels: [{ id: CHANNEL, name: 'approvals', members: [ANN, BOT] }],
  });
  aws = await startAws({
    ...tableOf(rows),
    GetSecretValue: ({ SecretId }) => ({
      SecretString: SecretId === 'digest-key-secret' ? 'digest-key' : JSON.stringify(stored),
    }),
    ChangeMessageVisibility: () => ({}),
    TransactWriteItems: () => ({}),
    // The function that decides is invoked by a path, and by no operation.
    undefined: () => ({}),
  });
  const env = {
    ...BASE_ENV,
    ...{ SLACK_SECRET: 'slack', SLACK_SIGNING_SECRET: 'signing' },
    ...{ SLACK_API_URL: slack.apiUrl, SLACK_APP_ID: 'A0TEST', RESUME_FUNCTION: 'resume' },
    ...{ CARD_QUEUE_URL: `${aws.url}/cards.fifo`, TALK_QUEUE_URL: `${aws.url}/talk.fifo` },
    ...{ OPERATORS_QUEUE_URL: `${aws.url}/operators` },
    ...{ NEW_CARDS_BURST: '5', NEW_CARDS_PER_MINUTE: '12', NEW_CARDS_LIST_FROM: '3' },
  };
  [slackOut, clicks] = await Promise.all([
    deploy('slack-out', { policy: askingPolicy, env, aws: aws.url }),
    deploy('slack', { policy: askingPolicy, env, aws: aws.url }),
  ]);
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  slack.setRequestUrl(`http://127.0.0.1:${(door.address() as AddressInfo).port}/`);
}, 120_000);
afterAll(async () => {
  await Promise.all([slackOut?.stop(), clicks?.stop()]);
  door.close();
  await slack?.stop();
  await aws?.stop();
});

async function pass(ms: number): Promise<void> {
  ahead += ms;
  await Promise.all([slackOut.advance(ms), clicks.advance(ms)]);
}

/** The ids of the messages that come again. */
async function deliver(body: unknown): Promise<string[]> {
  const attributes = { ApproximateReceiveCount: '1', MessageGroupId: 'line' };
  const record = { messageId: 'm', receiptHandle: 'r', body: JSON.stringify(body), attributes };
  const { value } = await slackOut.invoke<{ batchItemFailures: { itemIdentifier: string }[] }>({ Records: [record] });
  return value?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) ?? ['threw'];
}

const votes = () => aws.asked('TransactWriteItems').length;
const told = () => slack.ephemerals(ANN).at(-1)?.text;
const click = (ts: string) => slack.click({ user: ANN, channel: CHANNEL, ts, actionId: 'countersign_approve' });

test('after the token a message comes again at once, and the second click counts; after the signing secret the first one does', async () => {
  const announcement = { kind: 'announcement', channel: CHANNEL, text: 'hello' };
  expect(await deliver(announcement)).toEqual([]);
  const { pid, rows: made } = await waiting('p-1', 'rotated');
  rows.push(...made);
  const challenge = 'payload=%7B%7D';
  await fetch(`http://127.0.0.1:${(door.address() as AddressInfo).port}/`, { method: 'POST', body: challenge });
  await pass(MINUTE);

  stored.botToken = 'xoxb-new';
  slack.setBotToken(stored.botToken);
  // Slack is asked nothing else before it.
  expect(await deliver(announcement)).toEqual(['m']);
  // The token is a new one: nothing is won by waiting.
  expect(aws.asked('ChangeMessageVisibility').at(-1)).toMatchObject({ VisibilityTimeout: 0 });
  expect(await deliver(announcement)).toEqual([]);
  expect(await deliver({ kind: 'card', pid })).toEqual([]);
  const ts = slack.messages(CHANNEL).at(-1)?.ts ?? '';
  await click(ts);
  expect([votes(), told()]).toEqual([0, REFUSALS.byCode.membership_unknown]);
  await click(ts);
  expect(votes()).toBe(1);

  await pass(MINUTE);
  signsWith = 'new';
  expect(await click(ts)).toMatchObject({ ok: false });
  stored.signingSecret = 'new';
  expect(votes()).toBe(1);
  await pass(MINUTE);
  expect(await click(ts)).toMatchObject({ ok: true });
  expect(votes()).toBe(2);
});

test('while the secret still holds the refused token, a card waits as it does in any outage', async () => {
  await pass(MINUTE);
  slack.setBotToken('xoxb-newest');
  expect(await deliver({ kind: 'announcement', channel: CHANNEL, text: 'x' })).toEqual(['m']);
  expect(aws.asked('ChangeMessageVisibility').at(-1)).toMatchObject({ VisibilityTimeout: 5 });
});
