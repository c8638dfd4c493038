/** Interprets cases of the permissions: providers, each with whoever answers it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { WebSocket } from 'ws';
import { StreamTerminal } from '../../../shared/approvals/askers/terminal.ts';
import { ConsoleHumanLoopProvider } from '../../../shared/approvals/providers/console.ts';
import { WebhookHumanLoopProvider } from '../../../shared/approvals/providers/webhook.ts';
import { WebSocketHumanLoopProvider } from '../../../shared/approvals/providers/websocket.ts';
import { PermissionService } from '../../../shared/permissions/index.ts';
import {
  CallbackHumanLoopProvider,
  type HumanLoopProvider,
  type HumanLoopRequest,
  type HumanLoopResponse,
  ProviderRequestHandler,
} from '../../../shared/seeds/echo-agent.ts';
import { type Fields, isFields } from '../fields.ts';
import { whole } from '../reading.ts';
import { PLACE } from './permissions-world.ts';
import { Uninterpretable } from './uninterpretable.ts';
import { spoken } from './words.ts';

export async function provider(given: Fields): Promise<Fields> {
  const request: HumanLoopRequest = {
    kind: isInput(given) ? 'input' : 'approval',
    requestId: 'r1',
    prompt: String(given['input_scenario'] ?? given['input_prompt'] ?? given['prompt'] ?? 'Approve?'),
    toolName: String(given['tool'] ?? 'Bash'),
    args: whole(given['args'] ?? { command: 'ls' }),
  };
  // A question without a provider is the default's (R4-150).
  const isAsked = 'input_scenario' in given || 'line' in given;
  const isConsole = 'console' in given ? given['console'] === true : isAsked && !hasOther(given);
  if (isConsole) return consoleAnswer(given, request);
  if ('webhook' in given || 'webhook_status' in given) return withWebhook(given, request);
  if ('websocket' in given) return withWebSocket(given, request);
  if (/^(is )?drop(s|ped)\b/.test(String(given['responder'])))
    return answered(new CallbackHumanLoopProvider(() => undefined), request);
  if ('responder' in given) return answered(new CallbackHumanLoopProvider(customOf(given['responder'])), request);
  if ('custom' in given) return answered({ request: customOf(whole(given['custom'])) }, request);
  throw new Uninterpretable('no provider');
}

const hasOther = (given: Fields): boolean =>
  ['webhook', 'webhook_status', 'websocket', 'responder', 'custom'].some((key) => key in given);
const isInput = (given: Fields): boolean =>
  /^input$/i.test(String(given['kind'] ?? '')) || 'input_prompt' in given || 'input_scenario' in given;

async function consoleAnswer(given: Fields, request: HumanLoopRequest): Promise<Fields> {
  const output = new PassThrough();
  const line = 'typed' in given ? given['typed'] : given['line'];
  const input = Readable.from(line === null || line === undefined ? [] : [`${String(line)}\n`]);
  const result = await answered(new ConsoleHumanLoopProvider(new StreamTerminal(input, output)), request);
  return { ...result, stdout: String(output.read() ?? '') };
}

/** A provider of the case's own: it raises, or gives a response in words or as `{ Variant: value }`. */
function customOf(value: unknown): () => Promise<HumanLoopResponse> {
  if (typeof value === 'string' && spoken(value).fault === 'raises') {
    const { why } = spoken(value);
    return () => Promise.reject(new Error(why));
  }
  if (isFields(value) && Object.keys(value).length !== 1) throw new Uninterpretable(`custom ${JSON.stringify(value)}`);
  const [kind, detail] = isFields(value) ? (Object.entries(value)[0] ?? []) : worded(String(value));
  const response = responseOf(String(kind), detail);
  return async () => response;
}

function worded(text: string): [string, unknown] {
  const { why, answer, delayMs } = spoken(text);
  const kind = answer === '' && delayMs > 0 ? 'Approved' : (/^\w+/.exec(answer)?.[0] ?? text);
  return [
    kind,
    /['"]/.test(text) ? why : (/(SessionAllTools|Session|Once)\b/.exec(answer.slice(kind.length))?.[1] ?? undefined),
  ];
}

function responseOf(kind: string, detail: unknown): HumanLoopResponse {
  const text = typeof detail === 'string' ? detail : undefined;
  switch (kind) {
    case 'Approved':
    case 'Timeout':
    case 'Deferred':
      return { kind };
    case 'Rejected':
      return { kind, reason: text };
    case 'Text':
      return { kind, text: text ?? '' };
    case 'ModifiedArgs':
      return { kind, args: detail ?? {} };
    case 'ApprovedWithScope':
      return { kind, scope: (text ?? 'Once') as 'Once' };
    default:
      throw new Uninterpretable(`provider ${kind}`);
  }
}

/** The provider's answer, and the service's reading of it. */
async function answered(source: HumanLoopProvider, request: HumanLoopRequest): Promise<Fields> {
  const answer = source.request(request);
  const response = await answer.catch(() => undefined);
  const service = new PermissionService({
    requestHandler: new ProviderRequestHandler({ request: () => answer }),
    ...PLACE,
  });
  const decision = await service.check('custom_tool', {});
  if (response === undefined) return { error: true, permission: decision.decision };
  const reason = response.kind === 'Rejected' ? response.reason : undefined;
  return {
    error: null,
    response: response.kind,
    rejected: reason ?? null,
    text: response.kind === 'Text' ? response.text : null,
    reason: reason ?? null,
    permission: decision.decision,
    deny_reason: decision.decision === 'deny' ? decision.message : null,
  };
}

/** An answer that comes may take its time on a busy machine; no case waits for it where none comes. */
const MAX_WAIT_SECONDS = 60;
const SHORT_MS = 200;

/** The program behind a webhook or a socket: its answer, as a case has it or in words, or none. */
function answerOf(value: unknown): { readonly answer: unknown; readonly delayMs: number; readonly isSilent: boolean } {
  if (typeof value !== 'string') return { answer: value, delayMs: 0, isSilent: false };
  const { fault, answer, delayMs } = spoken(value);
  const decision = answer === '' && delayMs > 0 ? 'approved' : /\b(approved|rejected|timeout)\b/i.exec(answer)?.[0];
  const said = fault === undefined && decision !== undefined ? { decision: decision.toLowerCase() } : value;
  return { answer: said, delayMs, isSilent: fault === 'silent' };
}

async function withWebhook(stated: Fields, request: HumanLoopRequest): Promise<Fields> {
  let seen: unknown;
  const { answer, delayMs, isSilent } = answerOf(whole(stated['webhook']));
  const given: Fields = { webhook: answer, webhook_status: stated['webhook_status'] };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      seen = JSON.parse(Buffer.concat(chunks).toString());
      if (isSilent) return;
      outgoing.statusCode = Number(given['webhook_status'] ?? 200);
      const text = isFields(given['webhook']) ? JSON.stringify(given['webhook']) : String(given['webhook'] ?? '{}');
      setTimeout(() => outgoing.end(text), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const source = new WebhookHumanLoopProvider(
      `http://127.0.0.1:${port}/approve`,
      isSilent ? 0.1 : Number(stated['timeout_s'] ?? stated['timeout_secs'] ?? MAX_WAIT_SECONDS),
    );
    return { ...(await answered(source, request)), posted: seen };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function withWebSocket(given: Fields, request: HumanLoopRequest): Promise<Fields> {
  const { answer: said, delayMs, isSilent } = answerOf(whole(given['websocket']));
  const answer = isFields(said) ? said : {};
  const answers = isFields(said) && [undefined, 'same', request.requestId].includes(said['request_id'] as string);
  const timeout = answers ? MAX_WAIT_SECONDS * 1000 : SHORT_MS;
  const source = await WebSocketHumanLoopProvider.listen('127.0.0.1:0', { timeout });
  let pushed: unknown;
  let client: WebSocket | undefined;
  try {
    if (isFields(said) || isSilent) {
      client = new WebSocket(`ws://127.0.0.1:${source.port}`);
      const socket = client;
      await new Promise((resolve) => socket.once('open', resolve));
      socket.send(JSON.stringify({ token: source.token }));
      socket.on('message', (data) => {
        pushed = JSON.parse(data.toString());
        if (isSilent) return;
        const text = JSON.stringify({
          request_id: request.requestId,
          ...answer,
          ...(answer['request_id'] === 'same' ? { request_id: request.requestId } : {}),
        });
        setTimeout(() => socket.send(text), delayMs);
      });
      for (let tries = 0; source.clients === 0 && tries < 10_000; tries++)
        await new Promise((resolve) => setTimeout(resolve, 5));
    } else if (!String(given['websocket']).includes('no client')) {
      throw new Uninterpretable(`websocket ${String(given['websocket'])}`);
    }
    return { ...(await answered(source, request)), pushed };
  } finally {
    client?.terminate();
    await source.close();
  }
}
