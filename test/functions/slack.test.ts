/**
 * Sends Slack's requests to the function as it is deployed.
 *
 * The bundle and Bolt are real, and a local Slack is behind them.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadPolicy } from '../../shared/config/load.ts';
import { FORM, signedHeaders } from '../local/slack/interactions/sign.ts';
import { type Aws, AwsFault, startAws } from './support/aws.ts';
import { BASE_ENV, type Deployed, deploy } from './support/deployed.ts';

const SECRET = 'the-current-signing-secret';
const PENDING = 'the-pending-signing-secret';
const TOKEN = 'xoxb-canary-token';
const BODY_CANARY = 'body-canary';
const policy = loadPolicy(
  'people: { olga: { team: T0T, user: U0O, name: Olga } }\nagents: { a: { owner: olga } }\n',
  'test.yaml',
);

/** Both secrets of the Slack app in Secrets Manager. */
let slackSecret: string | AwsFault;
let aws: Aws;
let slack: Deployed;

beforeAll(async () => {
  slackSecret = JSON.stringify({ signingSecret: SECRET, pendingSigningSecret: PENDING, botToken: TOKEN });
  aws = await startAws({
    GetSecretValue: ({ SecretId }) => {
      if (!['slack-secret', 'slack-signing-secret'].includes(String(SecretId))) return { SecretString: 'digest-key' };
      if (slackSecret instanceof AwsFault) throw slackSecret;
      return { SecretString: slackSecret };
    },
  });
  const env = {
    ...BASE_ENV,
    SLACK_SECRET: 'slack-secret',
    SLACK_SIGNING_SECRET: 'slack-signing-secret',
    SLACK_APP_ID: 'A0TEST',
    TALK_QUEUE_URL: 'https://sqs.example/talk.fifo',
    OPERATORS_QUEUE_URL: 'https://sqs.example/operators',
    CARD_QUEUE_URL: 'https://sqs.example/cards',
    RESUME_FUNCTION: 'resume',
  };
  slack = await deploy('slack', { policy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await slack?.stop();
  await aws?.stop();
});

interface Result {
  readonly statusCode: number;
  readonly body: string;
}
interface Sending {
  readonly secret?: string;
  readonly ageS?: number;
  readonly type?: string;
  readonly base64?: boolean;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

const as = (method: string) => ({ requestContext: { http: { method } } });

async function send(
  body: string,
  { secret = SECRET, ageS = 0, type = FORM, base64 = false, headers, method = 'POST' }: Sending = {},
) {
  const seconds = Math.floor(Date.now() / 1000) - ageS;
  const event = {
    ...as(method),
    headers: headers ?? signedHeaders(secret, seconds, body, type),
    body: base64 ? Buffer.from(body).toString('base64') : body,
    isBase64Encoded: base64,
  };
  const answered = await slack.invoke<Result>(event);
  return { ...answered.value, error: answered.error };
}

const challenge = (text: string) => JSON.stringify({ type: 'url_verification', challenge: text });
const JSON_UTF8 = 'application/json; charset=utf-8';
const metricsOf = (lines: readonly string[]) => lines.filter((line) => line.includes('"_aws"'));
const told = () => slack.log.filter((line) => line.includes('before its signature was verified'));

describe('before the signature is verified', () => {
  const forgeries: [string, string, Sending, number][] = [
    ['no headers at all', 'payload={}', { headers: {} }, 401],
    ['no signature', 'payload={}', { headers: { 'x-slack-request-timestamp': '1' } }, 401],
    ['a wrong signature', 'payload={}', { secret: 'another-secret' }, 401],
    ['a request of six minutes ago', 'payload={}', { ageS: 360 }, 401],
    ['a request of a day to come', 'payload={}', { ageS: -86_400 }, 401],
    ['an empty body that nobody signed', '', { headers: {} }, 401],
    ['a body of more than 256 KiB, however well signed', 'x'.repeat(256 * 1024 + 1), {}, 413],
    ['a GET, however well signed', challenge('x'), { type: 'application/json', method: 'GET' }, 405],
    ['a HEAD', '', { method: 'HEAD' }, 405],
  ];

  test.each(forgeries)('%s is refused', async (_, body, sending, statusCode) => {
    expect(await send(body, sending)).toMatchObject({ statusCode, body: '' });
  });

  test('a time stamp that is no number is refused', async () => {
    const headers = { ...signedHeaders(SECRET, 0, 'a', FORM), 'x-slack-request-timestamp': 'NaN' };
    expect(await send('a', { headers })).toMatchObject({ statusCode: 401 });
  });

  test('A23 nothing of Bolt and no client of a table was loaded for any of it', async () => {
    await slack.restart();
    const forged = await slack.invoke<Result>({
      ...as('POST'),
      headers: signedHeaders('wrong', 1, 'a', FORM),
      body: 'a',
    });
    expect(forged.value?.statusCode).toBe(401);
    for (const module of ['@slack/bolt', '@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs'])
      expect(await slack.holds(forged.loaded, module), module).toBe(false);
  });

  test('and Bolt is, once a request was verified', async () => {
    await slack.restart();
    const body = challenge('x');
    const headers = signedHeaders(SECRET, Math.floor(Date.now() / 1000), body, JSON_UTF8);
    const { loaded } = await slack.invoke<Result>({ ...as('POST'), headers, body });
    expect(await slack.holds(loaded, '@slack/bolt')).toBe(true);
  });

  test('A23 a flood writes one line and one metric a second, and the metric counts them all', async () => {
    await slack.restart();
    await send('a', { headers: {} });
    const lines = slack.log.length;
    const began = Date.now();
    for (let sent = 0; sent < 30; sent++) await slack.invoke({ ...as('POST'), headers: {}, body: BODY_CANARY });
    const seconds = Math.ceil((Date.now() - began) / 1000);
    expect(slack.log.length - lines).toBeLessThanOrEqual(2 * seconds);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await send('a', { headers: {} });
    const counted = metricsOf(slack.log.slice(lines)).map(
      (line) => (JSON.parse(line) as { ForgedRequests: number }).ForgedRequests,
    );
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(31);
  });

  test('the secret is fetched again at most once a minute, whatever is sent', async () => {
    await slack.restart();
    const before = aws.asked('GetSecretValue').length;
    for (let sent = 0; sent < 10; sent++) await send('a', { secret: `guess-${sent}` });
    expect(aws.asked('GetSecretValue').length - before).toBe(2);
  });
});

describe('a signed request', () => {
  test.each([
    ['with a charset in its content type', { type: JSON_UTF8 }],
    ['in base64, as Lambda hands over forms', { type: JSON_UTF8, base64: true }],
    ['signed with the pending secret of a rotation', { type: JSON_UTF8, secret: PENDING }],
    ['four minutes old', { type: JSON_UTF8, ageS: 240 }],
    ['four minutes ahead', { type: JSON_UTF8, ageS: -240 }],
  ])('%s is answered', async (_, sending) => {
    const text = 'zażółć gęślą jaźń 🦆';
    const { statusCode, body } = await send(challenge(text), sending);
    expect(statusCode).toBe(200);
    expect(JSON.parse(body ?? '')).toEqual({ challenge: text });
  });

  test.each([
    ['JSON that is none', '{"type":', JSON_UTF8],
    ['a list', '[]', JSON_UTF8],
    ['a payload that is none', 'payload=%7B', FORM],
  ])('%s is a bad request', async (_, body, type) => {
    expect(await send(body, { type })).toMatchObject({ statusCode: 400 });
  });

  test('an empty body, and what nobody listens to, is answered without an error', async () => {
    expect(await send('')).toMatchObject({ statusCode: 404 });
    const payload = {
      type: 'block_actions',
      user: { id: 'U1' },
      team: { id: 'T0T' },
      actions: [{ action_id: 'unknown', type: 'button' }],
    };
    expect(await send(`payload=${encodeURIComponent(JSON.stringify(payload))}`)).toMatchObject({ statusCode: 404 });
  });
});

describe('G42 without its secret the endpoint stops', () => {
  const usual = () => JSON.stringify({ signingSecret: SECRET, botToken: TOKEN });
  afterEach(() => {
    slackSecret = usual();
  });

  test.each([
    ['missing', new AwsFault('ResourceNotFoundException')],
    ['empty', ''],
    ['not JSON', 'plain text'],
    ['without a signing secret', JSON.stringify({ botToken: TOKEN })],
    ['with an empty signing secret', JSON.stringify({ signingSecret: '', botToken: TOKEN })],
    ['without a token', JSON.stringify({ signingSecret: SECRET })],
  ])('a secret that is %s', async (_, value) => {
    slackSecret = value;
    await slack.restart();
    const lines = slack.log.length;
    for (const secret of [SECRET, '', 'undefined'])
      expect(await send(challenge('x'), { type: JSON_UTF8, secret })).toMatchObject({ statusCode: 500, body: '' });
    expect(told().length).toBeGreaterThan(0);
    expect(slack.log.length - lines).toBeLessThanOrEqual(4);
  });

  test('it is not looked for with every request of a flood', async () => {
    slackSecret = '';
    await slack.restart();
    const before = aws.asked('GetSecretValue').length;
    for (let sent = 0; sent < 10; sent++) await send('a');
    expect(aws.asked('GetSecretValue').length - before).toBe(2);
  });
});

test('every line of the log is one JSON object, and none holds a secret, a token or a word of a body', async () => {
  await send(`payload=${encodeURIComponent(`{"type":"x","text":"${BODY_CANARY}\\n{\\"level\\":\\"INFO\\"}"}`)}`);
  expect(slack.log.length).toBeGreaterThan(0);
  for (const line of slack.log) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
  const all = slack.log.join('\n');
  for (const secret of [SECRET, PENDING, TOKEN, BODY_CANARY, 'digest-key"']) expect(all).not.toContain(secret);
});
