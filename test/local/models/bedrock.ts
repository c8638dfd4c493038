/**
 * Speaks Amazon Bedrock's wire format of Converse, with replies from a script.
 *
 * Checks each signature. Runs on loopback and knows nothing of Countersign.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Scope, scopeOf, signatureProblem } from './bedrock-signature.ts';
import { listen, type Replies, replyTo, sendReply, tokensOf } from './scripted-model.ts';

interface ConverseRequest {
  readonly system?: readonly { readonly text: string }[];
  readonly messages: readonly {
    readonly role: string;
    readonly content: readonly { readonly text: string }[];
  }[];
  readonly inferenceConfig?: { readonly maxTokens?: number };
}

export interface BedrockRequest {
  readonly headers: IncomingHttpHeaders;
  /** As it was sent, with its escapes. */
  readonly path: string;
  readonly model: string;
  readonly scope: Scope;
  readonly body: ConverseRequest;
}

export interface BedrockServer {
  readonly url: string;
  readonly requests: BedrockRequest[];
  close(): Promise<void>;
}

const PATH = /^\/model\/([^/]+)\/converse$/;

/** Gives each request the next reply, after the last one the last again; or what a function makes of the request. */
export async function startBedrockServer(
  replies: Replies<BedrockRequest>,
  /** Undefined checks the form of signatures alone: of a role's keys nobody but AWS has the secret. */
  secretAccessKey?: string,
): Promise<BedrockServer> {
  const requests: BedrockRequest[] = [];
  const server = await listen(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const [, model] = PATH.exec(url) ?? [];
    if (method !== 'POST' || model === undefined)
      return fail(response, 404, 'UnknownOperationException', 'no such operation');
    const scope = scopeOf(headers);
    if (scope?.service !== 'bedrock')
      return fail(response, 403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
    const unsigned = secretAccessKey && signatureProblem({ method, url, headers, body }, secretAccessKey);
    if (unsigned) return fail(response, 403, 'InvalidSignatureException', unsigned);
    const asked = { headers, path: url, model: decodeURIComponent(model), scope, body: JSON.parse(body) };
    const problem = problemOf(asked.body);
    if (problem) return fail(response, 400, 'ValidationException', problem);
    const reply = replyTo(replies, asked, requests.length);
    requests.push(asked);
    sendReply(reply, { request, response }, (content) => send(response, 200, outputOf(content, asked.body)), fail);
  });
  return { ...server, requests };
}

function outputOf(content: string, { messages }: ConverseRequest) {
  const inputTokens = tokensOf(JSON.stringify(messages));
  const outputTokens = tokensOf(content);
  return {
    output: { message: { role: 'assistant', content: content === '' ? [] : [{ text: content }] } },
    stopReason: 'end_turn',
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    metrics: { latencyMs: 1 },
  };
}

/** Refuses the field values that the real API refuses, as far as they are used here. */
function problemOf({ system, messages, inferenceConfig }: ConverseRequest): string | undefined {
  const { maxTokens = 1 } = inferenceConfig ?? {};
  if (!Number.isInteger(maxTokens) || maxTokens < 1) return 'inferenceConfig.maxTokens must be at least 1';
  if (!Array.isArray(messages) || messages.length === 0) return 'messages is missing';
  if (messages[0]?.role !== 'user') return 'A conversation must start with a user message.';
  const odd = messages.find(({ role }) => role !== 'user' && role !== 'assistant');
  if (odd) return `Unexpected role "${odd.role}"`;
  const blocks = [...(system ?? []), ...messages.flatMap(({ content }) => content)];
  return blocks.every(({ text }) => typeof text === 'string' && text.trim() !== '')
    ? undefined
    : 'The text field in the ContentBlock object is blank.';
}

function fail(response: ServerResponse, status: number, type: string, message: string): void {
  response.setHeader('x-amzn-errortype', `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`);
  send(response, status, { message });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-amzn-requestid': 'req-local' })
    .end(JSON.stringify(body));
}
