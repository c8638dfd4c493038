/** Keeps the sessions of MCP clients over HTTP, and answers their requests at `/mcp`. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CancelledNotificationSchema, isInitializeRequest, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS } from '../../contract/primitives.ts';
import { bodyOf, jsonIn } from '../serve/body.ts';
import { RequestError } from '../serve/problems.ts';
import type { Answer, Methods } from '../serve/routes.ts';
import type { Gateway } from './gateway.ts';
import { gatewayServer } from './mcp-server.ts';

/** A call as large as the gate takes, and the words of MCP around it. */
const MAX_BYTES = 2 * LIMITS.messageBytes;
/** Many clients leave without a word: of more sessions than this the one that was used least lately ends. */
const MAX_SESSIONS = 200;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly gateway: Gateway;
  /** The requests that wait for their answer, by their ids. */
  readonly waits: Map<RequestId, AbortController>;
}

interface McpHandler {
  readonly methods: Methods;
  /** Ends every session, and resolves once all that its client waited for is withdrawn. */
  close(): Promise<void>;
}

/** @param open makes the gateway of a new session */
export function mcpHandler(open: () => Gateway): McpHandler {
  /** The one that was used last comes last. */
  const sessions = new Map<string, Session>();
  /** Sessions that have ended, and whose calls are being withdrawn. */
  const ending = new Set<Promise<void>>();

  async function opened(): Promise<Session> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: async (id) => {
        const [oldest] = sessions.size >= MAX_SESSIONS ? sessions.values() : [];
        sessions.set(id, session);
        await oldest?.transport.close();
      },
    });
    const gateway = open();
    const session: Session = { transport, gateway, waits: new Map() };
    const server = gatewayServer(gateway);
    server.onclose = () => {
      sessions.delete(transport.sessionId ?? '');
      for (const wait of session.waits.values()) wait.abort(noSession(404));
      const ended = gateway.close().finally(() => ending.delete(ended));
      ending.add(ended);
    };
    await server.connect(transport);
    return session;
  }

  function known({ headers }: IncomingMessage): Session {
    const id = String(headers['mcp-session-id'] ?? '');
    const session = sessions.get(id);
    // A client that meets the status 404 begins a new session.
    if (!session) throw noSession(id ? 404 : 400);
    sessions.delete(id);
    sessions.set(id, session);
    return session;
  }

  const methods: Methods = {
    POST: async (request, gone) => {
      const body = jsonIn(await bodyOf(request, MAX_BYTES), MAX_BYTES);
      if (Array.isArray(body)) throw new RequestError(400, 'batch', 'the body: send one message, not a batch');
      const session = isInitializeRequest(body) ? await opened() : known(request);
      const cancelled = CancelledNotificationSchema.safeParse(body).data?.params.requestId;
      if (cancelled === undefined) return answer(request, body, session, gone);
      session.waits.get(cancelled)?.abort();
      return { status: 202 };
    },
    DELETE: async (request) => answerOf(await known(request).transport.handleRequest(webRequest(request))),
  };
  return {
    methods,
    async close() {
      await Promise.allSettled([...sessions.values()].map(({ transport }) => transport.close()));
      await Promise.allSettled(ending);
    },
  };
}

/** The connection of a request that nobody waits for any more is closed, and a client that cancels says so: either aborts the call. */
async function answer(request: IncomingMessage, body: unknown, session: Session, gone: AbortSignal): Promise<Answer> {
  const { id } = Object(body) as { readonly id?: RequestId };
  if (id !== undefined && session.waits.has(id))
    throw new RequestError(400, 'id_in_use', 'id: another request with it waits for its answer');
  const cancelled = new AbortController();
  const ended = Promise.withResolvers<Answer>();
  const close = () =>
    ended.reject(new RequestError(503, 'closing', 'the server stops: send the request again once it runs'));
  gone.addEventListener('abort', close, { once: true });
  const stop = () => {
    const { reason } = cancelled.signal;
    if (reason instanceof RequestError) ended.reject(reason);
    else ended.resolve({ status: 202 });
  };
  cancelled.signal.addEventListener('abort', stop, { once: true });
  if (id !== undefined) session.waits.set(id, cancelled);
  const extra = { gone: AbortSignal.any([gone, cancelled.signal]) };
  try {
    const authInfo = { token: '', clientId: 'loopback', scopes: [], extra };
    const handled = session.transport.handleRequest(webRequest(request), { parsedBody: body, authInfo });
    return await Promise.race([handled.then(answerOf), ended.promise]);
  } finally {
    gone.removeEventListener('abort', close);
    if (id !== undefined) session.waits.delete(id);
  }
}

const noSession = (status: number) =>
  new RequestError(status, 'unknown_session', 'Mcp-Session-Id: there is no such session');

function webRequest({ method = '', headers }: IncomingMessage): Request {
  const known = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return new Request('http://127.0.0.1/mcp', { method, headers: known as [string, string][] });
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const session = response.headers.get('mcp-session-id');
  return {
    status: response.status,
    ...(text ? { body: JSON.parse(text) as object } : {}),
    ...(session === null ? {} : { headers: { 'mcp-session-id': session } }),
  };
}
