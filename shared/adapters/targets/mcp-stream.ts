/** Takes up the stream of an MCP server's answer again that was closed before the response. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { GuardrailError } from '../../guardrails/settings/errors.ts';
import { limited } from './output.ts';

/** Where the server names no time. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** A server may close its streams for ever. */
const MAX_STREAMS = 200;

/**
 * Joins the streams of one request into one. A server may close the stream of a long request, and send the rest on a new stream to a client that
 * names the id of the last event (MCP 2025-11-25, SEP-1699). A stream without a new id is the last.
 *
 * @param over is called once no more will come, with the reason where the answer is too long
 */
export function takenUp(
  first: ReadableStream<Uint8Array>,
  id: RequestId,
  ask: (lastEventId: string) => Promise<ReadableStream<Uint8Array> | undefined>,
  signal: AbortSignal,
  over: (reason?: unknown) => void,
): ReadableStream<Uint8Array> {
  // All of its streams are one answer.
  const { readable, writable } = limited();
  const pump = async () => {
    let body: ReadableStream<Uint8Array> | undefined = first;
    let last: string | undefined;
    for (let streams = 0; body && streams < MAX_STREAMS; streams += 1) {
      const read = new EventReader(id);
      // A stream that breaks is taken up as one that ends; one that is too long is not.
      await body
        .pipeThrough(read.watching())
        .pipeTo(writable, { preventClose: true, preventAbort: true })
        .catch((error: unknown) => {
          if (error instanceof GuardrailError) throw error;
        });
      if (read.isAnswered || read.lastId === undefined || read.lastId === last) break;
      last = read.lastId;
      await delay(read.retryMs, undefined, { signal });
      body = await ask(last);
    }
  };
  const close = (reason?: unknown) =>
    writable
      .close()
      .catch(() => undefined)
      .then(() => over(reason));
  void pump().then(close, close);
  return readable;
}

/** The same request as a question for the rest of its stream. */
export const restOf =
  (fetch: FetchLike, url: string | URL, { body: _, ...init }: RequestInit) =>
  async (lastEventId: string): Promise<ReadableStream<Uint8Array> | undefined> => {
    const headers = new Headers(init.headers);
    headers.delete('content-type');
    headers.set('accept', 'text/event-stream');
    headers.set('last-event-id', lastEventId);
    const { ok, body } = await fetch(url, { ...init, method: 'GET', headers });
    if (ok) return body ?? undefined;
    await body?.cancel();
    return undefined;
  };

/** Reads the events that pass by: the last id, the time until a new try, and whether the response is among them. */
class EventReader {
  lastId: string | undefined;
  retryMs = RETRY_MS;
  isAnswered = false;
  readonly #id: RequestId;
  readonly #text = new TextDecoder();
  #rest = '';

  constructor(id: RequestId) {
    this.#id = id;
  }

  watching(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (part, controller) => {
        this.#read(this.#text.decode(part, { stream: true }));
        controller.enqueue(part);
      },
      // An event that broke off ends here: the next stream begins with one of its own.
      flush: (controller) => controller.enqueue(new TextEncoder().encode('\n\n')),
    });
  }

  #read(text: string): void {
    const events = `${this.#rest}${text}`.replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = events.pop() ?? '';
    for (const event of events) this.#take(event.split('\n'));
  }

  #take(lines: readonly string[]): void {
    const valuesOf = (field: string) =>
      lines.flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).trimStart()] : []));
    this.lastId = valuesOf('id').at(-1) || this.lastId;
    const retry = Number(valuesOf('retry').at(-1) ?? Number.NaN);
    if (retry >= 0) this.retryMs = Math.min(retry, MAX_RETRY_MS);
    this.isAnswered ||= isResponseTo(this.#id, valuesOf('data').join('\n'));
  }
}

function isResponseTo(id: RequestId, data: string): boolean {
  try {
    const message: unknown = JSON.parse(data);
    return (
      typeof message === 'object' && message !== null && !('method' in message) && Reflect.get(message, 'id') === id
    );
  } catch {
    return false;
  }
}
