/**
 * Speaks OpenAI's wire format of `POST /v1/chat/completions`, with replies from a script.
 *
 * Runs on loopback and knows nothing of Countersign.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen, type Reply, replyTo, sendReply, tokensOf } from './scripted-model.ts';

interface CompletionRequest {
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
  const server = await listen(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
      return fail(response, 404, 'invalid_request_error', 'Unknown request URL');
    if (!request.headers.authorization?.startsWith('Bearer '))
      return fail(response, 401, 'invalid_request_error', "You didn't provide an API key.");
    const body = JSON.parse(await text(request)) as CompletionRequest;
    if (!body.model || !body.messages?.length)
      return fail(response, 400, 'invalid_request_error', 'model and messages are required');
    const reply = replyTo(replies, body, requests.length);
    requests.push({ headers: request.headers, body });
    sendReply(reply, { request, response }, (content) => send(response, 200, completion(content, body)), fail);
  });
  return { ...server, url: `${server.url}/v1`, requests };
}

function completion(content: string, { model, messages }: CompletionRequest) {
  const prompt_tokens = tokensOf(JSON.stringify(messages));
  const completion_tokens = tokensOf(content);
  return {
    id: 'chatcmpl-local',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

const fail = (response: ServerResponse, status: number, type: string, message: string): void =>
  send(response, status, { error: { message, type, param: null, code: null } });

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
