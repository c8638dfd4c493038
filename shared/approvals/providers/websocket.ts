/** Asks whoever is connected over a WebSocket: a token first, answers matched by request id. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import * as z from 'zod';
import { CountersignError } from '../../domain/errors.ts';
import { isLoopback } from '../../domain/loopback.ts';
import { readIJson } from '../../domain/raw-json.ts';
import type { HumanLoopProvider, HumanLoopRequest, HumanLoopResponse } from '../../ports/human-loop.ts';

/** Settings of `WebSocketHumanLoopProvider`. */
export interface WebSocketOptions {
  /** A client sends `{"token": …}` first; absent: one is made, to be read from `token`. */
  readonly token?: string | undefined;
  /** Until a question counts as unanswered; default 5 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** The provider cannot listen, or an address that others can reach has no token. `code` is stable. */
export class WebSocketProviderError extends CountersignError {
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'WebSocketProviderError';
  }
}

const MAX_MESSAGE = 64 * 1024;
const DEFAULT_TIMEOUT_MS = 5 * 60 * 1000;
const answer = z.object({
  request_id: z.string(),
  decision: z.enum(['approved', 'rejected', 'timeout']).optional(),
  text: z.string().nullish(),
  reason: z.string().nullish(),
});

interface Waiting {
  readonly kind: HumanLoopRequest['kind'];
  resolve(response: HumanLoopResponse): void;
}

/**
 * Sends each question to every client that showed the token; the first answer counts. Times in milliseconds. `close` ends it.
 *
 * @example
 * const provider = await WebSocketHumanLoopProvider.listen('127.0.0.1:8080', { timeoutMs: 60_000 });
 * console.log(provider.port, provider.token);
 * await provider.close();
 */
export class WebSocketHumanLoopProvider implements HumanLoopProvider {
  readonly #server: WebSocketServer;
  readonly #options: WebSocketOptions;
  /** The token that every client has to send first: other programs of this machine reach the address too. */
  readonly token: string;
  readonly #clients = new Set<WebSocket>();
  readonly #waiting = new Map<string, Waiting>();

  private constructor(server: WebSocketServer, options: WebSocketOptions) {
    this.#server = server;
    this.#options = options;
    this.token = options.token ?? randomBytes(24).toString('base64url');
    server.on('connection', (socket) => this.#connected(socket));
  }

  /** Listens on `host:port`; refuses an address that is not loopback without a token of one's own. Port 0 takes any. */
  static async listen(address: string, options: WebSocketOptions = {}): Promise<WebSocketHumanLoopProvider> {
    const at = address.lastIndexOf(':');
    const host = address.slice(0, at);
    const stated = address.slice(at + 1);
    const port = Number(stated);
    if (at <= 0 || !/^\d{1,5}$/.test(stated) || port > 65535) throw new RangeError('the address is host:port');
    if (options.token === '' || (!(isLoopback(host) || host === '::1') && options.token === undefined)) {
      throw new WebSocketProviderError('token_missing', 'an address that others can reach needs a token');
    }
    const { WebSocketServer: Server } = await import('ws');
    const server = new Server({
      host: host.replace('[', '').replace(']', ''),
      port,
      maxPayload: MAX_MESSAGE,
      verifyClient: sameMachine,
    });
    await new Promise<void>((resolve, reject) => {
      server.once('listening', resolve);
      server.once('error', reject);
    });
    return new WebSocketHumanLoopProvider(server, options);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get clients(): number {
    return this.#clients.size;
  }

  async request(
    request: HumanLoopRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<HumanLoopResponse> {
    if (signal?.aborted) return { kind: 'Timeout' };
    const open = [...this.#clients].filter((socket) => socket.readyState === socket.OPEN);
    if (open.length === 0) throw new WebSocketProviderError('no_client', 'no client is connected to answer');
    if (this.#waiting.has(request.requestId))
      throw new WebSocketProviderError('duplicate_request', 'this request is already waiting');
    const question = JSON.stringify({
      kind: request.kind,
      request_id: request.requestId,
      prompt: request.prompt,
      tool_name: request.toolName,
      args: request.args,
    });
    return new Promise((resolve) => {
      const finish = (response: HumanLoopResponse) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.#waiting.delete(request.requestId);
        resolve(response);
      };
      const giveUp = () => finish({ kind: 'Timeout' });
      signal?.addEventListener('abort', giveUp, { once: true });
      const timer = setTimeout(giveUp, this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      this.#waiting.set(request.requestId, { kind: request.kind, resolve: finish });
      for (const socket of open) socket.send(question);
    });
  }

  /** Answers each request that still waits with a rejection. */
  async close(): Promise<void> {
    for (const waiting of this.#waiting.values())
      waiting.resolve({ kind: 'Rejected', reason: 'The provider was closed.' });
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #connected(socket: WebSocket): void {
    let known = false;
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#clients.delete(socket));
    socket.on('message', (data: RawData) => {
      const json = readIJson(data.toString(), MAX_MESSAGE);
      if (!known) {
        const token = json.ok ? z.object({ token: z.string() }).safeParse(json.value).data?.token : undefined;
        if (token === undefined || !sameToken(token, this.token)) {
          socket.close(4401, 'token refused');
          return;
        }
        known = true;
        this.#clients.add(socket);
        return;
      }
      const parsed = json.ok ? answer.safeParse(json.value) : undefined;
      if (parsed?.success !== true) return;
      const waiting = this.#waiting.get(parsed.data.request_id);
      const response = waiting === undefined ? undefined : responseTo(parsed.data, waiting.kind);
      if (response !== undefined) waiting?.resolve(response);
    });
  }
}

function responseTo(data: z.infer<typeof answer>, kind: HumanLoopRequest['kind']): HumanLoopResponse | undefined {
  if (kind === 'input' && typeof data.text === 'string') return { kind: 'Text', text: data.text };
  switch (data.decision) {
    case 'approved':
      return { kind: 'Approved' };
    case 'rejected':
      return { kind: 'Rejected', reason: data.reason ?? undefined };
    case 'timeout':
      return { kind: 'Timeout' };
    default:
      return undefined;
  }
}

/** A page of another origin may not answer in the name of whoever has it open. */
function sameMachine({ origin }: { origin?: string }): boolean {
  if (origin === undefined || origin === '') return true;
  try {
    const { hostname } = new URL(origin);
    return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  } catch {
    return false;
  }
}

function sameToken(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
