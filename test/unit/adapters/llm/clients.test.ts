/** One suite for every client of a model, over real HTTP to a local server. */
import { APICallError, type LanguageModel } from 'ai';
import { afterEach, describe, expect, test } from 'vitest';
import { AnthropicClient } from '../../../../shared/adapters/llm/anthropic.ts';
import { VercelClient } from '../../../../shared/adapters/llm/vercel.ts';
import { LlmPolicy } from '../../../../shared/policies/index.ts';
import type { LlmClient } from '../../../../shared/ports/llm-client.ts';
import { type AnthropicServer, type Reply, startAnthropicServer } from '../../../local/anthropic/server.ts';
import { aSnapshot, aSpace, picks, recorder } from '../../policies/builders.ts';

const MODEL = 'claude-sonnet-4-20250514';

type LanguageModelV4 = Extract<LanguageModel, { specificationVersion: 'v4' }>;

/** The least that is a provider of the Vercel AI SDK: it posts to the server, and reports failures as providers do. */
function provider(url: string) {
  return (modelId: string): LanguageModelV4 => ({
    specificationVersion: 'v4',
    provider: 'local',
    modelId,
    supportedUrls: {},
    doStream: () => Promise.reject(new Error('not used')),
    async doGenerate({ prompt, maxOutputTokens, abortSignal }) {
      const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join();
      const messages = prompt.flatMap((message) =>
        message.role === 'user' || message.role === 'assistant'
          ? [
              {
                role: message.role,
                content: message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
              },
            ]
          : [],
      );
      const response = await fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({ model: modelId, max_tokens: maxOutputTokens, system, messages }),
        ...(abortSignal ? { signal: abortSignal } : {}),
      });
      const body = await response.text();
      if (!response.ok) {
        throw new APICallError({
          message: body,
          url,
          requestBodyValues: {},
          statusCode: response.status,
          responseBody: body,
        });
      }
      const { content, usage } = JSON.parse(body);
      const none = { noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
      return {
        content: content.map(({ text }: { text: string }) => ({ type: 'text' as const, text })),
        finishReason: { unified: 'stop' as const, raw: 'end_turn' },
        usage: {
          inputTokens: { ...none, total: usage.input_tokens },
          outputTokens: { total: usage.output_tokens, text: usage.output_tokens, reasoning: undefined },
        },
        warnings: [],
      };
    },
  });
}

const clients: [string, (url: string, timeoutMs: number) => LlmClient][] = [
  ['AnthropicClient', (baseURL, timeoutMs) => new AnthropicClient('key', { baseURL, timeoutMs })],
  ['VercelClient', (url, timeoutMs) => new VercelClient(provider(url), { timeoutMs })],
];

let server: AnthropicServer;
afterEach(() => server?.close());

describe.each(clients)('%s', (_name, make) => {
  const start = async (...replies: Reply[]) => {
    server = await startAnthropicServer(replies);
    // Short only where it is to pass: a busy machine takes its time.
    return make(server.url, replies.includes('never answer') ? 300 : 15_000);
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
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': 'key', 'anthropic-version': '2023-06-01' });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.body).toEqual({
      model: MODEL,
      max_tokens: 1024,
      system: 'Be brief.',
      messages: messages.slice(1),
    });
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

  test('an answer that is not JSON is no choice either', async () => {
    const client = await start({ raw: '<html>' });
    await expect(client.complete(messages, MODEL)).rejects.toMatchObject({
      kind: expect.stringMatching(/parse|network/),
    });
  });

  test('serves an LlmPolicy through a correction', async () => {
    const client = await start('I would rather not', picks('b'));
    const said = recorder();
    const chosen = await new LlmPolicy(client, MODEL).choose(aSpace('a', 'b'), aSnapshot(), said.observer);
    expect(chosen?.flow_id).toBe('b');
    expect(server.requests.map(({ body }) => body.messages.length)).toEqual([1, 3]);
    expect(said.records[0]?.usage?.calls).toBe(2);
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
