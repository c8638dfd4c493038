/** Checks cards from the queue to Slack: the deployed bundle, the real web client, a local Slack. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CANARY as CANARY_AGENT } from '../../shared/domain/canary.ts';
import { type LocalSlack, startLocalSlack } from '../local/slack/server.ts';
import { type Aws, AwsFault, startAws } from './support/aws.ts';
import { BASE_ENV, type Deployed, deploy } from './support/deployed.ts';
import { ANN, askingPolicy, CHANNEL, type Row, TEAM, tableOf, waiting } from './support/waiting.ts';

const TOKEN = 'xoxb-canary-token';
const CANARY = 'content-canary';
const BOT = 'U0BOT';

let rows: Row[];
let slack: LocalSlack;
let aws: Aws;
let slackOut: Deployed;
let secret: string;
let isTableDown = false;

beforeAll(async () => {
  slack = await startLocalSlack({
    signingSecret: 'secret',
    botToken: TOKEN,
    appId: 'A0TEST',
    appName: 'Countersign',
    teamId: TEAM,
    teamName: 'Test',
    botUserId: BOT,
    users: [{ id: ANN, name: 'ann', realName: 'Ann' }],
    channels: [{ id: CHANNEL, name: 'approvals', members: [ANN, BOT] }],
  });
  secret = JSON.stringify({ botToken: TOKEN });
  rows = [];
  const table = tableOf(rows);
  aws = await startAws({
    ...table,
    Query: (input) => {
      if (isTableDown) throw new AwsFault('ProvisionedThroughputExceededException');
      return table.Query(input);
    },
    GetSecretValue: () => {
      if (!secret) throw new AwsFault('ResourceNotFoundException');
      return { SecretString: secret };
    },
    ChangeMessageVisibility: () => ({}),
    SendMessage: ({ MessageBody }) => ({
      MD5OfMessageBody: createHash('md5').update(String(MessageBody)).digest('hex'),
    }),
  });
  const env = {
    ...BASE_ENV,
    SLACK_SECRET: 'slack-secret',
    SLACK_API_URL: slack.apiUrl,
    CARD_QUEUE_URL: `${aws.url}/cards.fifo`,
    NEW_CARDS_BURST: '5',
    NEW_CARDS_PER_MINUTE: '12',
    NEW_CARDS_LIST_FROM: '3',
  };
  slackOut = await deploy('slack-out', { policy: askingPolicy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await slackOut?.stop();
  await slack?.stop();
  await aws?.stop();
});
beforeEach(() => {
  rows.length = 0;
  slack.setOutage(false);
});

interface Batch {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

/** How often the queue has delivered the message. */
let received = 1;

async function deliver(...bodies: unknown[]): Promise<string[]> {
  const Records = bodies.map((body, index) => ({
    messageId: `m${index}`,
    receiptHandle: `r${index}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { ApproximateReceiveCount: String(received), MessageGroupId: 'line' },
  }));
  const { value } = await slackOut.invoke<Batch>({ Records });
  return value?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) ?? ['threw'];
}

const posted = () => slack.messages(CHANNEL);

describe('a card', () => {
  test('is posted once and then updated, from the row as it is', async () => {
    const { pid, rows: made } = await waiting('p-1', 'hello');
    rows.push(...made);
    const before = posted().length;
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
    expect(posted()).toHaveLength(before + 1);
    expect(JSON.stringify(posted().at(-1)?.blocks)).toContain('hello');
    const calls = slack.apiLog.length;
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
    expect(posted()).toHaveLength(before + 1);
    expect(slack.apiLog.slice(calls).map(({ method }) => method)).toEqual(['chat.update']);
  });

  test('A22 is never posted once it has expired', async () => {
    const past = new Date(Date.now() - 1_000).toISOString();
    const { pid, rows: made } = await waiting('p-2', 'late', { expiresAt: past });
    rows.push(...made);
    const before = slack.apiLog.length;
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
    expect(slack.apiLog).toHaveLength(before);
  });

  test('nor once it was answered, nor for a row that is not there', async () => {
    const { pid, rows: made } = await waiting('p-3', 'answered', { status: 'rejected' });
    rows.push(...made);
    const before = slack.apiLog.length;
    expect(await deliver({ kind: 'card', pid }, { kind: 'card', pid: 'f'.repeat(64) })).toEqual([]);
    expect(slack.apiLog).toHaveLength(before);
  });

  test('what happened when the action ran is told in the thread, once', async () => {
    const { pid, rows: made } = await waiting('p-9', 'ran');
    rows.push(...made);
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
    const card = posted().at(-1);
    const ran = { callId: 'c1', permitId: 'permit-1', status: 'failed', durationMs: 1234, errorCode: 'ENOENT' };
    for (const _ of ['sent', 'sent again']) expect(await deliver({ kind: 'ran', pid, ran })).toEqual([]);
    const replies = posted().filter(({ thread_ts }) => thread_ts === card?.ts);
    expect(replies.map(({ text }) => text)).toEqual([expect.stringContaining('ran and failed after 1.2 s (ENOENT).')]);
  });

  test('an announcement is said as it is, not as markup', async () => {
    expect(await deliver({ kind: 'announcement', channel: CHANNEL, text: 'paused <!channel> *all*' })).toEqual([]);
    // Slack reads its control sequences also where it formats nothing.
    expect(slack.apiLog.at(-1)?.args).toMatchObject({ text: 'paused &lt;!channel&gt; *all*', mrkdwn: 'false' });
    const until = { kind: 'announcement', channel: CHANNEL, text: 'until 2026-11-28T22:09:43.998Z.' };
    expect(await deliver(until)).toEqual([]);
    expect(slack.apiLog.at(-1)?.args).toMatchObject({ text: 'until 2026-11-28 22:09 UTC.' });
  });
});

describe('a question of the canary', () => {
  test.each(['pending', 'cancelled'] as const)(
    '%s: is drawn nowhere, and Slack is asked who the app is',
    async (status) => {
      const { pid, rows: made } = await waiting(`p-${status}`, 'canary', { agent: CANARY_AGENT, status });
      rows.push(...made);
      const before = slack.apiLog.length;
      expect(await deliver({ kind: 'card', pid, only: 'post' })).toEqual([]);
      expect(await deliver({ kind: 'card', pid, only: 'update' })).toEqual([]);
      expect(slack.apiLog.slice(before).map(({ method }) => method)).toEqual(['auth.test']);
    },
  );

  test('waits for a Slack that is away, as every card does, and not for ever', async () => {
    const { pid, rows: made } = await waiting('p-c2', 'canary', { agent: CANARY_AGENT });
    rows.push(...made);
    slack.setOutage(true);
    expect(await deliver({ kind: 'card', pid, only: 'post' })).toEqual(['m0']);
    slack.setOutage(false);
    const requestedAt = new Date(Date.now() - 6 * 60_000).toISOString();
    const old = await waiting('p-c3', 'canary', { agent: CANARY_AGENT, requestedAt });
    rows.push(...old.rows);
    const before = slack.apiLog.length;
    expect(await deliver({ kind: 'card', pid: old.pid, only: 'post' })).toEqual([]);
    expect(slack.apiLog).toHaveLength(before);
  });
});

describe('when Slack does not take it', () => {
  test('A22 a 429 makes the message wait as long as Slack asks', async () => {
    const { pid, rows: made } = await waiting('p-4', 'busy');
    rows.push(...made);
    slack.failNext('chat.postMessage', 429, { headers: { 'retry-after': '37' } });
    expect(await deliver({ kind: 'card', pid })).toEqual(['m0']);
    expect(aws.asked('ChangeMessageVisibility').at(-1)).toMatchObject({ ReceiptHandle: 'r0', VisibilityTimeout: 37 });
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
  });

  test('no longer than a quarter of an hour', async () => {
    const { pid, rows: made } = await waiting('p-5', 'busy');
    rows.push(...made);
    slack.failNext('chat.postMessage', 429, { headers: { 'retry-after': '86400' } });
    expect(await deliver({ kind: 'card', pid })).toEqual(['m0']);
    expect(aws.asked('ChangeMessageVisibility').at(-1)).toMatchObject({ VisibilityTimeout: 900 });
  });

  test('A22 an outage gives the message back: it comes again soon, then later', async () => {
    const { pid, rows: made } = await waiting('p-6', CANARY);
    rows.push(...made);
    slack.setOutage(true);
    const waits: unknown[] = [];
    for (received of [1, 2, 3, 10]) {
      expect(await deliver({ kind: 'card', pid })).toEqual(['m0']);
      waits.push(aws.asked('ChangeMessageVisibility').at(-1)?.['VisibilityTimeout']);
    }
    expect(waits).toEqual([5, 10, 20, 120]);
    received = 1;
    slack.setOutage(false);
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
  });

  test('A22 a card that Slack will never take holds up nobody: it is counted, and not tried again', async () => {
    const { pid, rows: made } = await waiting('p-7', 'refused');
    rows.push(...made);
    for (const _ of ['as it is', 'in plain words']) slack.failNext('chat.postMessage', 'invalid_blocks');
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
    expect(slackOut.log.some((line) => line.includes('CardsRefused'))).toBe(true);
    slack.failNext('chat.postMessage', 'channel_not_found');
    expect(await deliver({ kind: 'card', pid }), 'a channel may come back').toEqual(['m0']);
  });

  test('A22 where Slack refuses a card, its plain words stand there without buttons, and the row says so', async () => {
    const { pid, rows: made } = await waiting('p-7b', 'plain words');
    rows.push(...made);
    const shown = () => JSON.stringify(posted().at(-1)?.blocks);
    slack.failNext('chat.postMessage', 'invalid_blocks');
    expect(await deliver({ kind: 'card', pid, only: 'post' })).toEqual([]);
    expect(shown()).toContain('countersign decide');
    expect(aws.asked('UpdateItem').at(-1)?.['ExpressionAttributeValues']).toEqual({ ':problem': { S: 'refused' } });
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
    expect(shown()).toContain('"countersign_approve"');
    const rejected = await waiting('p-7b', 'plain words', { status: 'rejected', version: 1 });
    rows.splice(rows.indexOf(made[0] as Row), 1, rejected.rows[0] as Row);
    slack.failNext('chat.update', 'msg_blocks_too_long');
    expect(await deliver({ kind: 'card', pid, only: 'update' })).toEqual([]);
    expect(shown()).toMatch(/Rejected: (?!.*"actions")/);
  });

  test.each([
    ['channel_not_found', 'channel_gone'],
    ['is_archived', 'channel_gone'],
    ['not_in_channel', 'not_in_channel'],
    ['token_revoked', 'token_refused'],
    ['missing_scope', 'missing_scope'],
    ['fatal_error', 'down'],
  ])('A22 %s: the row says why, a metric raises the alarm, the card waits', async (answer, problem) => {
    const { pid, rows: made } = await waiting(`p-${answer}`, 'blocked');
    rows.push(...made);
    slack.failNext('chat.postMessage', answer);
    const lines = slackOut.log.length;
    expect(await deliver({ kind: 'card', pid })).toEqual(['m0']);
    expect(aws.asked('UpdateItem').at(-1)).toMatchObject({ ExpressionAttributeValues: { ':problem': { S: problem } } });
    expect(slackOut.log.slice(lines).some((line) => line.includes(`"problem":"${problem}"`))).toBe(true);
    expect(await deliver({ kind: 'card', pid }), 'it is mended').toEqual([]);
  });

  test.each([
    ['somebody deleted', 'message_not_found'],
    ['an app of before posted', 'cant_update_message'],
    ['the workspace lets nobody change any more', 'edit_window_closed'],
    ['somebody deleted, where Slack looks at its blocks first,', 'invalid_blocks', 'message_not_found'],
  ])('a card that %s is posted again while it waits', async (_, ...answers) => {
    const { pid, rows: made } = await waiting(`p-8-${answers.join('-')}`, 'again');
    rows.push(...made);
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
    const before = posted().length;
    for (const answer of answers) slack.failNext('chat.update', answer);
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
    expect(posted()).toHaveLength(before + 1);
  });

  test('A22 an answer about this card alone: three tries, then the row says it and the line moves on', async () => {
    const { pid, rows: made } = await waiting('p-10', 'restricted');
    rows.push(...made);
    const lines = slackOut.log.length;
    for (received of [1, 2, 3]) {
      slack.failNext('chat.postMessage', 'restricted_action');
      expect(await deliver({ kind: 'card', pid, only: 'post' })).toEqual(received < 3 ? ['m0'] : []);
    }
    received = 1;
    expect(aws.asked('UpdateItem').at(-1)).toMatchObject({
      UpdateExpression: 'SET look = :look, lookAt = :lookAt REMOVE due, dueAt',
      // IAM counts the attributes of conditions too.
      ConditionExpression:
        'attribute_exists(version) AND (attribute_not_exists(lookAt) AND attribute_not_exists(dueAt) OR (lookAt > :lookAt OR dueAt > :dueAt))',
    });
    expect(aws.asked('UpdateItem').at(-2)).toMatchObject({
      ExpressionAttributeValues: { ':problem': { S: 'refused' } },
    });
    expect(slackOut.log.slice(lines).filter((line) => line.includes('CardsAside'))).toHaveLength(1);
  });

  test('A22 so does a row that cannot be read', async () => {
    const { pid, rows: made } = await waiting('p-11', 'unreadable');
    rows.push({ ...(made[0] ?? {}), approval: { M: {} } }, ...made.slice(1));
    received = 3;
    expect(await deliver({ kind: 'card', pid, only: 'post' })).toEqual([]);
    received = 1;
    expect(aws.asked('UpdateItem').at(-2)).toMatchObject({
      ExpressionAttributeValues: { ':problem': { S: 'cannot_draw' } },
    });
    // A row that was released is not brought back: nobody could tell when to let go of it.
    expect(aws.asked('UpdateItem').at(-1)).toMatchObject({
      ConditionExpression: '(attribute_exists(look) OR attribute_exists(due)) AND (lookAt > :lookAt OR dueAt > :dueAt)',
    });
  });

  test('A22 what no row brings again is named in the log, without its text', async () => {
    const { pid, rows: made } = await waiting('p-15', 'told');
    rows.push(...made);
    expect(await deliver({ kind: 'card', pid })).toEqual([]);
    const lines = slackOut.log.length;
    const notes = aws.asked('UpdateItem').length;
    received = 3;
    slack.failNext('chat.postMessage', 'restricted_action');
    expect(await deliver({ kind: 'announcement', channel: CHANNEL, text: CANARY })).toEqual([]);
    slack.failNext('chat.postMessage', 'restricted_action');
    const ran = { callId: 'c1', permitId: 'permit-2', status: 'failed', durationMs: 1, toolName: CANARY };
    expect(await deliver({ kind: 'ran', pid, ran })).toEqual([]);
    received = 1;
    const logged = slackOut.log.slice(lines).map((line) => JSON.parse(line) as Record<string, unknown>);
    const given = logged.filter(({ message }) => message === 'a message to Slack was given up');
    expect(given).toEqual([
      expect.objectContaining({ kind: 'announcement', channel: CHANNEL, messageId: 'm0', problem: 'refused' }),
      expect.objectContaining({ kind: 'ran', pid, permitId: 'permit-2', messageId: 'm0', problem: 'refused' }),
    ]);
    const since = aws.asked('UpdateItem').slice(notes);
    expect(since.filter(({ UpdateExpression: update }) => String(update).includes('due'))).toEqual([]);
  });

  test('A22 but an outage of a table is nobody’s fault: the card waits however often it was received', async () => {
    const { pid, rows: made } = await waiting('p-12', 'outage');
    rows.push(...made);
    isTableDown = true;
    received = 50;
    expect(await deliver({ kind: 'card', pid, only: 'post' })).toEqual(['m0']);
    isTableDown = false;
    received = 1;
  });

  test('A22 before SQS would set it aside, it is sent again to the end of its line', async () => {
    const { pid, rows: made } = await waiting('p-13', 'long outage');
    rows.push(...made);
    slack.setOutage(true);
    received = 900;
    expect(await deliver({ kind: 'card', pid, only: 'post' })).toEqual([]);
    received = 1;
    expect(aws.asked('SendMessage').at(-1)).toMatchObject({
      MessageBody: JSON.stringify({ kind: 'card', pid, only: 'post' }),
      MessageGroupId: 'line',
    });
  });

  test('A22 once its card stands, the row is not looked at before its time', async () => {
    const { pid, rows: made } = await waiting('p-14', 'stands');
    rows.push(...made);
    expect(await deliver({ kind: 'card', pid, only: 'post' })).toEqual([]);
    expect(aws.asked('UpdateItem').at(-1)).toMatchObject({
      UpdateExpression: 'SET look = :look, lookAt = :lookAt REMOVE due, dueAt, failures',
      ConditionExpression: '(attribute_exists(look) OR attribute_exists(due)) AND version = :version',
    });
  });

  test('one message of a batch that fails is named alone', async () => {
    const announcement = { kind: 'announcement', channel: CHANNEL, text: 'hello' };
    expect(await deliver('{"kind":', announcement)).toEqual(['m0']);
    expect(posted().at(-1)?.text).toBe('hello');
  });

  test.each(['', '  ', 'no JSON', '{"signingSecret":"s","botToken":""}', '{"signingSecret":"s"}'])(
    'G42 with the secret %j nothing is posted, every message comes again, and all that tells of a card says why',
    async (unfilled) => {
      await slackOut.restart();
      const kept = secret;
      secret = unfilled;
      const before = slack.apiLog.length;
      const { pid, rows: made } = await waiting(`p-secret-${unfilled.length}`, 'unfilled');
      rows.push(...made);
      const announcement = { kind: 'announcement', channel: CHANNEL, text: 'x' };
      expect(await deliver(announcement, { kind: 'card', pid })).toEqual(['m0', 'm1']);
      received = 3;
      expect(
        await deliver({ kind: 'home', person: { team: 'T0DEMO', user: 'U0OLGA' }, at: 0 }),
        'no message is given up',
      ).toEqual(['m0']);
      received = 1;
      secret = kept;
      expect(slack.apiLog).toHaveLength(before);
      const noted = { ExpressionAttributeValues: { ':problem': { S: 'token_refused' } } };
      expect(aws.asked('UpdateItem')).toContainEqual(expect.objectContaining(noted));
      const told = slackOut.log.filter((line) => line.includes(pid) && line.includes('"problem":"token_refused"'));
      expect(told.join()).toMatch(/SecretError|ResourceNotFoundException/);
      await slackOut.restart();
      expect(await deliver({ kind: 'card', pid }), 'it is filled').toEqual([]);
    },
  );
});

test('every line of the log is one JSON object, and none holds the token or what an agent wrote', () => {
  expect(slackOut.log.length).toBeGreaterThan(0);
  for (const line of slackOut.log) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
  for (const text of [TOKEN, CANARY, '/workspace/notes.md']) expect(slackOut.log.join('\n')).not.toContain(text);
});
