/**
 * Speaks Anthropic's wire format of `POST /v1/messages` on loopback, with replies from a script.
 *
 * Knows nothing of Countersign.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen, type Replies, replyTo, sendReply, tokensOf } from './scripted-model.ts';

export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export interface AnthropicServer {
  readonly url: string;
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: MessagesRequest }[];
  close(): Promise<void>;
}

/** Gives each request the next reply, after the last one the last again; or what a function makes of the request. */
export async function startAnthropicServer(replies: Replies<MessagesRequest>): Promise<AnthropicServer> {
  const requests: AnthropicServer['requests'] = [];
  const server = await listen(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/messages')
      return fail(response, 404, 'not_found_error', 'Not found');
    const { authorization, 'x-api-key': key } = request.headers;
    if (!key && !authorization?.startsWith('Bearer '))
      return fail(response, 401, 'authentication_error', 'x-api-key header is required');
    if (!request.headers['anthropic-version']) {
      return fail(response, 400, 'invalid_request_error', 'anthropic-version: header is required');
    }
    const body = JSON.parse(await text(request)) as MessagesRequest;
    const problem = problemOf(body);
    if (problem) return fail(response, 400, 'invalid_request_error', problem);
    const reply = replyTo(replies, body, requests.length);
    requests.push({ headers: request.headers, body });
    sendReply(reply, { request, response }, (content) => send(response, 200, messageOf(content, body)), fail);
  });
  return { ...server, requests };
}

const messageOf = (content: string, { model, messages }: MessagesRequest) => ({
  id: 'msg_local',
  type: 'message',
  role: 'assistant',
  model,
  content: content === '' ? [] : [{ type: 'text', text: content }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: tokensOf(JSON.stringify(messages)), output_tokens: tokensOf(content) },
});

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

const fail = (response: ServerResponse, status: number, type: string, message: string): void =>
  send(response, status, { type: 'error', error: { type, message }, request_id: 'req_local' });

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_local' })
    .end(JSON.stringify(body));
}
