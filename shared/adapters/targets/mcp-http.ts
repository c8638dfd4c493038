/** Reaches MCP servers over streamable HTTP. */
import { setTimeout as delay } from 'node:timers/promises';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CancelledNotificationSchema,
  ErrorCode,
  isJSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { GuardrailError } from '../../guardrails/settings/errors.ts';
import type { McpLink } from './mcp-session.ts';
import { restOf, takenUp } from './mcp-stream.ts';
import { guardedFetch } from './output.ts';

/** The only way of the gate itself: programs are started at the agent's side (`overProgram`). */
export const overHttp = (server: string, url: string, token?: () => Promise<string>): McpLink => ({
  server,
  connect: async () => {
    const headers = token ? { authorization: `Bearer ${await token()}` } : undefined;
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { redirect: 'error', ...(headers ? { headers } : {}) },
      fetch: tellingEnds(guardedFetch(`mcp::${server}`), (id, error) =>
        transport.onmessage?.({ jsonrpc: '2.0', id, error }),
      ),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
      },
    });
    // The SDK's class and its interface differ in how they write an absent field.
    return transport as Transport;
  },
});

const ENDED = { code: ErrorCode.ConnectionClosed, message: 'the answer of the server ended without a response' };

/** An answer that was too long came from a server that goes on. */
const errorOf = (reason: unknown) =>
  reason instanceof GuardrailError ? { code: ErrorCode.InternalError, message: reason.message } : ENDED;
/** The SDK has read what arrived by then. An end that is told of after a response has no effect. */
const READ_MS = 100;

/** The SDK waits for ever for the response to a request whose stream has ended, or broke: each end is told of. */
function tellingEnds(fetch: FetchLike, ended: (id: RequestId, error: typeof ENDED) => void): FetchLike {
  /** Ends what goes on for a request that the SDK gives up. */
  const open = new Map<RequestId, AbortController>();
  return async (url, init) => {
    const { id, cancels } = aboutOf(init?.body);
    if (cancels !== undefined) open.get(cancels)?.abort();
    if (id === undefined) return fetch(url, init);
    // From now on: the request may be given up before its answer begins.
    const own = new AbortController();
    open.set(id, own);
    const response = await fetch(url, init).catch((error: unknown) => {
      open.delete(id);
      throw error;
    });
    const { ok, status, headers, body } = response;
    const over = (reason?: unknown) => {
      open.delete(id);
      if (ok) void delay(READ_MS).then(() => ended(id, errorOf(reason)));
    };
    // The SDK reads none of an answer that only takes note of the request.
    if (!ok || !body || status === 202) {
      over();
      return response;
    }
    if (!headers.get('content-type')?.startsWith('text/event-stream')) {
      // A pipe, which takes along a body that the SDK gives up before it has read any of it.
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      void body.pipeTo(writable).then(over, over);
      return new Response(readable, { status, headers });
    }
    const signal = init?.signal ? AbortSignal.any([init.signal, own.signal]) : own.signal;
    const readable = takenUp(body, id, restOf(fetch, url, { ...init, signal }), signal, over);
    return new Response(readable, { status, headers });
  };
}

/** A request has an id, and a notification may be about a request that is given up. */
function aboutOf(body: unknown): { readonly id?: RequestId; readonly cancels?: RequestId | undefined } {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  if (isJSONRPCRequest(message)) return { id: message.id };
  const { success, data } = CancelledNotificationSchema.safeParse(message);
  return success ? { cancels: data.params.requestId } : {};
}
