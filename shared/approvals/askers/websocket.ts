/** Asks whoever is connected over a WebSocket: a token first, answers matched by the question's id. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import * as z from 'zod';
import type { Duration } from '../../domain/duration.ts';
import { CountersignError, InvalidSettingError } from '../../domain/errors.ts';
import { isLoopback } from '../../domain/loopback.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { anyText, checkSettings, text } from '../../domain/settings.ts';
import type { Answer, Asker, Question } from '../../ports/asker.ts';
import { wait, waitMs } from '../../ports/timers.ts';
import { readWireAnswer } from './wire-answer.ts';

/** Settings of `webSocketAsker`. */
export interface WebSocketOptions {
  /** A client sends `{"token": …}` first. Default: a random one, to be read from `token`. */
  readonly token?: string | undefined;
  /** Until a question counts as unanswered. Default: `'5m'`. */
  readonly timeout?: Duration | undefined;
}

/**
 * The question could not be asked. `code` tells why: `token_missing`: an address that others can reach has no token; `no_client`: nobody is
 * connected; `duplicate_request`: the question waits already.
 */
export class WebSocketError extends CountersignError<'token_missing' | 'no_client' | 'duplicate_request'> {
  constructor(code: WebSocketError['code'], message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'WebSocketError';
  }
}

/** A server on which people answer. `ask` is the asker. */
export interface WebSocketAsker extends AsyncDisposable {
  readonly ask: Asker;
  /** The token that every client has to send first: other programs of this machine reach the address too. */
  readonly token: string;
  readonly port: number;
  /** How many clients showed the token and are connected. */
  readonly clients: number;
  /** Stops the server. Each question that still waits is rejected. */
  close(): Promise<void>;
}

/** The form of a question and of its answer on the wire. Both carry `request_id`. */
export interface WebSocketFormat {
  bodyOf(question: Question): object;
  /** `undefined` for an answer that is not clear, which goes unheard. */
  answerOf(answer: Readonly<Record<string, unknown>>, question: Question): Answer | undefined;
}

const MAX_MESSAGE = 64 * 1024;
const DEFAULT_TIMEOUT: Duration = '5m';

/** The question with its id as `request_id`, and an `Answer` with the same `request_id`. */
const OWN: WebSocketFormat = {
  bodyOf: ({ id, ...question }) => ({ ...question, request_id: id }),
  answerOf: readWireAnswer,
};

/**
 * Listens on `host:port`, sends each question to every client that showed the token, and takes the first answer. Port 0 takes any.
 *
 * @throws InvalidSettingError for an address or a time-out that is none; WebSocketError for an address that others can reach, without a token of one's own
 * @example
 * const people = await webSocketAsker('127.0.0.1:0', { timeout: '1m' });
 * console.log(people.port, people.token, new PermissionService({ ask: people.ask }).mode);
 * await people.close();
 */
export const webSocketAsker = (address: string, options: WebSocketOptions = {}): Promise<WebSocketAsker> =>
  webSocketAskerIn(OWN, address, options);

/** As `webSocketAsker`, for clients that know another form. */
export async function webSocketAskerIn(
  format: WebSocketFormat,
  address: string,
  options: WebSocketOptions,
): Promise<WebSocketAsker> {
  text(address, 'address');
  checkSettings(options, { token: anyText, timeout: wait });
  const ms = waitMs(options.timeout ?? DEFAULT_TIMEOUT, 'timeout');
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at);
  const stated = address.slice(at + 1);
  const port = Number(stated);
  if (at <= 0 || !/^\d{1,5}$/.test(stated) || port > 65535)
    throw new InvalidSettingError('address', 'must be host:port');
  if (options.token === '' || (!(isLoopback(host) || host === '::1') && options.token === undefined))
    throw new WebSocketError('token_missing', 'an address that others can reach needs a token');
  const { WebSocketServer: Server } = await import('ws');
  const server = new Server({
    host: host.replace('[', '').replace(']', ''),
    port,
    maxPayload: MAX_MESSAGE,
    verifyClient: isSameMachine,
  });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  return new Listening(server, format, ms, options.token ?? randomBytes(24).toString('base64url'));
}

interface Waiting {
  readonly question: Question;
  resolve(answer: Answer): void;
}

class Listening implements WebSocketAsker {
  readonly #server: WebSocketServer;
  readonly #format: WebSocketFormat;
  readonly #timeoutMs: number;
  readonly token: string;
  readonly #clients = new Set<WebSocket>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(server: WebSocketServer, format: WebSocketFormat, timeoutMs: number, token: string) {
    this.#server = server;
    this.#format = format;
    this.#timeoutMs = timeoutMs;
    this.token = token;
    server.on('connection', (socket) => this.#connected(socket));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get clients(): number {
    return this.#clients.size;
  }

  readonly ask: Asker = async (question, { signal }) => {
    signal.throwIfAborted();
    const open = [...this.#clients].filter((socket) => socket.readyState === socket.OPEN);
    if (open.length === 0) throw new WebSocketError('no_client', 'no client is connected to answer');
    if (this.#waiting.has(question.id))
      throw new WebSocketError('duplicate_request', 'this request is already waiting');
    const text = JSON.stringify(this.#format.bodyOf(question));
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    const timer = setTimeout(() => resolve({ type: 'silent' }), this.#timeoutMs);
    this.#waiting.set(question.id, { question, resolve });
    for (const socket of open) socket.send(text);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      this.#waiting.delete(question.id);
    }
  };

  async close(): Promise<void> {
    for (const waiting of this.#waiting.values())
      waiting.resolve({ type: 'rejected', reason: 'The provider was closed.' });
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #connected(socket: WebSocket): void {
    let isKnown = false;
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#clients.delete(socket));
    socket.on('message', (data: RawData) => {
      const json = readIJson(data.toString(), MAX_MESSAGE);
      if (!isKnown) {
        const token = json.ok ? z.object({ token: z.string() }).safeParse(json.value).data?.token : undefined;
        if (token === undefined || !isSameToken(token, this.token)) {
          socket.close(4401, 'token refused');
          return;
        }
        isKnown = true;
        this.#clients.add(socket);
        // A client that lost its connection learns what is still open.
        for (const { question } of this.#waiting.values()) socket.send(JSON.stringify(this.#format.bodyOf(question)));
        return;
      }
      const parsed = z.looseObject({ request_id: z.string() }).safeParse(json.ok ? json.value : undefined);
      const waiting = parsed.success ? this.#waiting.get(parsed.data.request_id) : undefined;
      const answer = parsed.success && waiting ? this.#format.answerOf(parsed.data, waiting.question) : undefined;
      if (answer !== undefined) waiting?.resolve(answer);
    });
  }
}

/** A page of another origin may not answer in the name of whoever has it open. */
function isSameMachine({ origin }: { origin?: string }): boolean {
  if (origin === undefined || origin === '') return true;
  try {
    const { hostname } = new URL(origin);
    return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  } catch {
    return false;
  }
}

function isSameToken(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
