/**
 * Speaks OpenAI's wire format of `POST /v1/chat/completions`, with replies from a script.
 *
 * Runs on loopback and knows nothing of Countersign.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Reply } from '../anthropic/server.ts';

export interface CompletionRequest {
  readonly model: string;
  readonly max_tokens?: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export interface OpenAiServer {
  /** With the version in its path, as providers take it. */
  readonly url: string;
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: CompletionRequest }[];
  close(): Promise<void>;
}

/** Gives each request the next reply, after the last one the last again. */
export async function startOpenAiServer(replies: readonly Reply[]): Promise<OpenAiServer> {
  const requests: OpenAiServer['requests'] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
      return fail(response, 404, 'invalid_request_error', 'Unknown request URL');
    if (!request.headers.authorization?.startsWith('Bearer '))
      return fail(response, 401, 'invalid_request_error', "You didn't provide an API key.");
    const body = JSON.parse(await text(request)) as CompletionRequest;
    if (!body.model || !body.messages?.length)
      return fail(response, 400, 'invalid_request_error', 'model and messages are required');
    const reply = replies[Math.min(requests.length, replies.length - 1)] ?? '';
    requests.push({ headers: request.headers, body });
    if (reply === 'never answer') return;
    if (reply === 'hang up') request.socket.destroy();
    else if (typeof reply === 'string') send(response, 200, completion(reply, body));
    else if ('raw' in reply) response.writeHead(200, { 'content-type': 'application/json' }).end(reply.raw);
    else fail(response, reply.status, reply.type, reply.message);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function completion(content: string, { model, messages }: CompletionRequest) {
  const prompt_tokens = tokens(JSON.stringify(messages));
  const completion_tokens = tokens(content);
  return {
    id: 'chatcmpl-local',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

const tokens = (content: string): number => Math.ceil(content.length / 4);

const fail = (response: ServerResponse, status: number, type: string, message: string): void =>
  send(response, status, { error: { message, type, param: null, code: null } });

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
