/**
 * Speaks Anthropic's wire format of `POST /v1/messages` on loopback, with replies from a script.
 *
 * Knows nothing of Countersign.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** A text to answer with; a status and an error type to refuse with; raw bytes; or what becomes of the connection. */
export type Reply =
  | string
  | { readonly status: number; readonly type: string; readonly message: string }
  | { readonly raw: string }
  | 'hang up'
  | 'never answer';

export interface AnthropicServer {
  readonly url: string;
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: MessagesRequest }[];
  close(): Promise<void>;
}

/** Gives each request the next reply, after the last one the last again; or what a function makes of the request. */
export async function startAnthropicServer(
  replies: readonly Reply[] | ((request: MessagesRequest) => Reply),
): Promise<AnthropicServer> {
  const requests: AnthropicServer['requests'] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/messages')
      return fail(response, 404, 'not_found_error', 'Not found');
    const { authorization, 'x-api-key': key } = request.headers;
    if (!key && !authorization?.startsWith('Bearer '))
      return fail(response, 401, 'authentication_error', 'x-api-key header is required');
    if (!request.headers['anthropic-version']) {
      return fail(response, 400, 'invalid_request_error', 'anthropic-version: header is required');
    }
    const body = JSON.parse(await textOf(request)) as MessagesRequest;
    const problem = problemOf(body);
    if (problem) return fail(response, 400, 'invalid_request_error', problem);
    const reply =
      typeof replies === 'function' ? replies(body) : (replies[Math.min(requests.length, replies.length - 1)] ?? '');
    requests.push({ headers: request.headers, body });
    answer(reply, body, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(reply: Reply, body: MessagesRequest, request: IncomingMessage, response: ServerResponse): void {
  if (reply === 'never answer') return;
  if (reply === 'hang up') {
    request.socket.destroy();
    return;
  }
  if (typeof reply === 'string') {
    send(response, 200, {
      id: 'msg_local',
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: reply === '' ? [] : [{ type: 'text', text: reply }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: tokens(JSON.stringify(body.messages)), output_tokens: tokens(reply) },
    });
    return;
  }
  if ('raw' in reply) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply.raw);
    return;
  }
  fail(response, reply.status, reply.type, reply.message);
}

/** Refuses the field values that the real API refuses, as far as they are used here. */
function problemOf({ model, max_tokens, messages }: MessagesRequest): string | undefined {
  if (typeof model !== 'string' || model === '') return 'model: Field required';
  if (!Number.isInteger(max_tokens) || max_tokens < 1) return 'max_tokens: Input should be greater than or equal to 1';
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required';
  const odd = messages.find(({ role }) => role !== 'user' && role !== 'assistant');
  if (odd) return `messages: Unexpected role "${odd.role}"`;
  const empty = messages.findIndex(({ content }) => content.trim() === '');
  return empty < 0 ? undefined : `messages.${empty}: text content blocks must contain non-whitespace text`;
}

const tokens = (text: string): number => Math.ceil(text.length / 4);

const fail = (response: ServerResponse, status: number, type: string, message: string): void =>
  send(response, status, { type: 'error', error: { type, message }, request_id: 'req_local' });

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_local' })
    .end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
