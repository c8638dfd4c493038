/** Runs one suite for every client of a model, over real HTTP to a local server. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AnthropicClient } from '../../../../shared/adapters/llm/anthropic.ts';
import { BedrockClient } from '../../../../shared/adapters/llm/bedrock.ts';
import { VercelClient } from '../../../../shared/adapters/llm/vercel.ts';
import { LlmPolicy } from '../../../../shared/policies/index.ts';
import type { LlmClient } from '../../../../shared/ports/llm-client.ts';
import { type AnthropicServer, startAnthropicServer } from '../../../local/models/anthropic.ts';
import { type BedrockServer, startBedrockServer } from '../../../local/models/bedrock.ts';
import { type OpenAiServer, startOpenAiServer } from '../../../local/models/openai.ts';
import type { Reply } from '../../../local/models/scripted-model.ts';
import { aSnapshot, aSpace, picks, recorder } from '../../policies/builders.ts';

const MODEL = 'claude-sonnet-4-20250514';

/** The keys of a role, as Lambda gives them. */
const AWS = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'not/a+secret',
  AWS_SESSION_TOKEN: 'token',
  AWS_ENDPOINT_URL: undefined,
};

/** A client, and the server that speaks the wire format of its provider: what a question must look like there. */
interface Subject {
  readonly serve: (replies: readonly Reply[]) => Promise<AnthropicServer | BedrockServer | OpenAiServer>;
  readonly make: (url: string, timeoutMs: number) => LlmClient;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: (
    system: string,
    turns: readonly { readonly role: string; readonly content: string }[],
  ) => Readonly<Record<string, unknown>>;
}

const clients: readonly (readonly [string, Subject])[] = [
  [
    'AnthropicClient',
    {
      serve: startAnthropicServer,
      make: (baseURL, timeoutMs) => new AnthropicClient('key', { baseURL, timeout: timeoutMs }),
      headers: { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
      body: (system, messages) => ({ model: MODEL, max_tokens: 1024, system, messages }),
    },
  ],
  [
    'VercelClient with a provider package',
    {
      serve: startOpenAiServer,
      make: (baseURL, timeoutMs) =>
        new VercelClient(createOpenAICompatible({ name: 'local', baseURL, apiKey: 'key' }), { timeout: timeoutMs }),
      headers: { authorization: 'Bearer key' },
      body: (system, turns) => ({
        model: MODEL,
        max_tokens: 1024,
        messages: [{ role: 'system', content: system }, ...turns],
      }),
    },
  ],
  [
    'BedrockClient',
    {
      serve: (replies) => startBedrockServer(replies, AWS.AWS_SECRET_ACCESS_KEY),
      make: (baseURL, timeoutMs) => new BedrockClient({ baseURL, timeout: timeoutMs }),
      headers: { authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 /), 'x-amz-security-token': 'token' },
      body: (system, turns) => ({
        system: [{ text: system }],
        messages: turns.map(({ role, content }) => ({ role, content: [{ text: content }] })),
        inferenceConfig: { maxTokens: 1024 },
      }),
    },
  ],
];

let server: AnthropicServer | BedrockServer | OpenAiServer;
beforeEach(() => {
  for (const [name, value] of Object.entries(AWS)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
});

describe.each(clients)('%s', (_name, subject) => {
  const start = async (...replies: Reply[]) => {
    server = await subject.serve(replies);
    // Short only where it is to pass: a busy machine takes its time.
    return subject.make(server.url, replies.includes('never answer') ? 300 : 15_000);
  };
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'What?' },
    { role: 'user', content: 'Again' },
  ] as const;

  test('sends the conversation, the system prompt apart, and gives back text and cost (R0-085)', async () => {
    const client = await start('Hi.');
    expect(await client.complete(messages, MODEL)).toEqual({
      text: 'Hi.',
      usage: { inputTokens: expect.any(Number), outputTokens: 1 },
    });
    expect(server.requests[0]?.headers).toMatchObject(subject.headers);
    expect(Object.hasOwn(server.requests[0]?.headers ?? {}, 'authorization')).toBe('authorization' in subject.headers);
    expect(server.requests[0]?.body).toEqual(subject.body('Be brief.', messages.slice(1)));
  });

  test.each([400, 401, 404, 429, 500, 529])('status %i is an ApiError, asked once (R0-080, R0-081)', async (status) => {
    const client = await start({ status, type: 'api_error', message: 'no' });
    await expect(client.complete(messages, MODEL)).rejects.toMatchObject({
      code: 'llm_api_error',
      kind: 'api',
      status,
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, Reply]>([
    ['a connection that breaks', 'hang up'],
    ['no answer in time', 'never answer'],
  ])('%s is a NetworkError, asked once', async (_case, reply) => {
    const client = await start(reply);
    await expect(client.complete(messages, MODEL)).rejects.toMatchObject({
      code: 'llm_network_error',
      kind: 'network',
    });
    expect(server.requests).toHaveLength(1);
  });

  test('an answer without text is a ParseError', async () => {
    const client = await start('');
    await expect(client.complete(messages, MODEL)).rejects.toMatchObject({ code: 'llm_parse_error', kind: 'parse' });
  });

  test.each([
    '<html>',
    '{"ok":true}',
    '[]',
    'null',
    '{"choices":[],"content":[]}',
    '{"choices":7,"content":7}',
    '{"choices":[{}],"content":[{}]}',
    '{"choices":[{"index":0,"message":{"role":"assistant","content":""}}],"content":[{"type":"text","text":""}]}',
  ])('an answer that is none, %s, is no text either', async (raw) => {
    const client = await start({ raw });
    await expect(client.complete(messages, MODEL)).rejects.toMatchObject({
      kind: expect.stringMatching(/^(parse|network)$/),
    });
    expect(server.requests).toHaveLength(1);
  });

  test('serves an LlmPolicy through a correction', async () => {
    const client = await start('I would rather not', picks('b'));
    const recorded = recorder();
    const chosen = await new LlmPolicy(client, MODEL).choose(aSpace('a', 'b'), aSnapshot(), {
      observe: recorded.observer,
    });
    expect(chosen?.flow_id).toBe('b');
    const turns = server.requests.map(
      ({ body: { messages } }) => [...messages].filter(({ role }) => role !== 'system').length,
    );
    expect(turns).toEqual([1, 3]);
    expect(recorded.records[0]?.usage?.calls).toBe(2);
  });
});

describe('AnthropicClient.fromEnv (R0-084)', () => {
  test('needs the key', async () => {
    expect(() => AnthropicClient.fromEnv({}, {})).toThrow('ANTHROPIC_API_KEY');
    server = await startAnthropicServer(['Hi.']);
    const client = AnthropicClient.fromEnv({ baseURL: server.url }, { ANTHROPIC_API_KEY: 'from-env' });
    await client.complete([{ role: 'user', content: 'Hello' }], MODEL);
    expect(server.requests[0]?.headers['x-api-key']).toBe('from-env');
  });

  test('keeps its key out of what is printed', () => {
    const client = new AnthropicClient('sk-secret');
    expect(JSON.stringify(client)).not.toContain('sk-secret');
    expect(Object.values(client)).toEqual([]);
  });
});
