/** Checks Amazon Bedrock: the request's address and signature, its answers, and its errors. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BedrockClient } from '../../../../shared/adapters/llm/bedrock.ts';
import { type BedrockServer, startBedrockServer } from '../../../local/models/bedrock.ts';
import { signatureProblem } from '../../../local/models/bedrock-signature.ts';
import type { Reply } from '../../../local/models/scripted-model.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const HELLO = [{ role: 'user', content: 'Grüße, 世界' }] as const;

let server: BedrockServer;
beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
  vi.stubEnv('AWS_SESSION_TOKEN', undefined);
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
});

const start = async (...replies: Reply[]) => {
  server = await startBedrockServer(replies, SECRET);
  return server.url;
};

describe('where and how it asks', () => {
  test.each([
    [
      'anthropic.claude-3-haiku-20240307-v1:0',
      '/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse',
      'eu-central-1',
    ],
    ['eu.amazon.nova-lite-v1:0', '/model/eu.amazon.nova-lite-v1%3A0/converse', 'eu-central-1'],
    [
      'arn:aws:bedrock:us-west-2:111122223333:application-inference-profile/abc123',
      '/model/arn%3Aaws%3Abedrock%3Aus-west-2%3A111122223333%3Aapplication-inference-profile%2Fabc123/converse',
      'us-west-2',
    ],
  ])('%s', async (model, path, region) => {
    const client = new BedrockClient({ baseURL: await start('Hi.') });
    expect((await client.complete(HELLO, model)).text).toBe('Hi.');
    expect(server.requests[0]).toMatchObject({
      path,
      model,
      scope: { accessKeyId: 'AKIDEXAMPLE', region, service: 'bedrock' },
      headers: { 'content-type': 'application/json' },
      body: { messages: [{ role: 'user', content: [{ text: 'Grüße, 世界' }] }], inferenceConfig: { maxTokens: 1024 } },
    });
    expect(server.requests[0]?.body).not.toHaveProperty('system');
  });

  test('a stated region is signed for, and a path before the API’s stays', async () => {
    const url = await start('Hi.');
    const client = new BedrockClient({ baseURL: `${url}/`, region: 'us-east-1', maxTokens: 7 });
    await client.complete(HELLO, 'amazon.nova-lite-v1:0');
    expect(server.requests[0]).toMatchObject({
      scope: { region: 'us-east-1' },
      body: { inferenceConfig: { maxTokens: 7 } },
    });
    const behind = new BedrockClient({ baseURL: `${url}/proxy` });
    await expect(behind.complete(HELLO, 'amazon.nova-lite-v1:0')).rejects.toMatchObject({ status: 404 });
  });

  test('the endpoint of the environment is asked where none is stated', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', await start('Hi.'));
    expect((await new BedrockClient().complete(HELLO, 'amazon.nova-lite-v1:0')).text).toBe('Hi.');
  });

  test('keys that change are used from the next question on', async () => {
    const client = new BedrockClient({ baseURL: await start('Hi.') });
    await client.complete(HELLO, 'amazon.nova-lite-v1:0');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');
    await expect(client.complete(HELLO, 'amazon.nova-lite-v1:0')).rejects.toMatchObject({ kind: 'api', status: 403 });
  });

  test('the signature covers path, body and date', async () => {
    const client = new BedrockClient({ baseURL: await start('Hi.') });
    await client.complete([{ role: 'user', content: 'Hi' }], 'amazon.nova-lite-v1:0');
    const [{ headers, path, body } = { headers: {}, path: '', body: {} }] = server.requests;
    const sent = { method: 'POST', url: path, headers, body: JSON.stringify(body) };
    expect(signatureProblem(sent, SECRET)).toBeUndefined();
    expect(signatureProblem({ ...sent, url: path.replace('lite', 'pro') }, SECRET)).toContain('does not match');
    expect(signatureProblem({ ...sent, body: `${sent.body} ` }, SECRET)).toContain('does not match');
    expect(
      signatureProblem({ ...sent, headers: { ...headers, 'x-amz-date': '20200101T000000Z' } }, SECRET),
    ).toBeDefined();
  });
});

describe('the answer', () => {
  const message = (content: readonly object[], more: object = {}) => ({
    raw: JSON.stringify({
      output: { message: { role: 'assistant', content } },
      stopReason: 'end_turn',
      usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 },
      ...more,
    }),
  });

  test('all texts in their order, without a model’s reasoning', async () => {
    const reasoning = { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } };
    const client = new BedrockClient({ baseURL: await start(message([reasoning, { text: 'one ' }, { text: 'two' }])) });
    expect(await client.complete(HELLO, 'amazon.nova-lite-v1:0')).toEqual({
      text: 'one two',
      usage: { inputTokens: 12, outputTokens: 3 },
    });
  });

  test.each(['max_tokens', 'guardrail_intervened', 'content_filtered', 'stop_sequence', 'a_new_reason'])(
    'an answer that ended by %s is cut',
    async (stopReason) => {
      const client = new BedrockClient({ baseURL: await start(message([{ text: 'half' }], { stopReason })) });
      expect(await client.complete(HELLO, 'amazon.nova-lite-v1:0')).toMatchObject({ text: 'half', isCut: true });
    },
  );

  test('without usage the tokens are none', async () => {
    const client = new BedrockClient({ baseURL: await start(message([{ text: 'x' }], { usage: undefined })) });
    const { usage } = await client.complete(HELLO, 'amazon.nova-lite-v1:0');
    expect(usage).toEqual({ inputTokens: 0, outputTokens: 0 });
  });
});

test.each([
  [429, 'ThrottlingException'],
  [429, 'ModelNotReadyException'],
  [403, 'AccessDeniedException'],
  [408, 'ModelTimeoutException'],
  [503, 'ServiceUnavailableException'],
])('status %i %s names the error of Bedrock, and is not tried again', async (status, type) => {
  const client = new BedrockClient({ baseURL: await start({ status, type, message: 'no' }) });
  await expect(client.complete(HELLO, 'amazon.nova-lite-v1:0')).rejects.toMatchObject({
    kind: 'api',
    status,
    message: `${type}: no`,
  });
  expect(server.requests).toHaveLength(1);
});

test('a signal ends the call', async () => {
  const client = new BedrockClient({ baseURL: await start('never answer') });
  const signal = AbortSignal.timeout(50);
  await expect(client.complete(HELLO, 'amazon.nova-lite-v1:0', { signal })).rejects.toMatchObject({ kind: 'network' });
});

test('settings that are none are refused', () => {
  expect(() => new BedrockClient({ timeout: 0 })).toThrow('timeout');
  expect(() => new BedrockClient({ region: '' })).toThrow('region');
});
