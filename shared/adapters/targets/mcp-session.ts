/** Opens sessions with MCP servers by the official SDK, and computes the digests of their tools. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { executionError, GuardrailError } from '../../guardrails/errors.ts';
import { guardedFetch } from './output.ts';

/** The attempt's own deadline is the signal's; the SDK would give up after a minute. */
const NEVER = 2 ** 31 - 1;

export type Connect = () => Promise<Transport>;

/** Streamable HTTP. The gate has no stdio: whoever runs the server as a child process does that at the agent's side. */
export const overHttp =
  (url: string, origin: string, token?: () => Promise<string>): Connect =>
  async () => {
    const headers = token ? { authorization: `Bearer ${await token()}` } : undefined;
    // The SDK's class and its interface differ in how they write an absent field.
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { redirect: 'error', ...(headers ? { headers } : {}) },
      fetch: guardedFetch(origin),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
      },
    }) as Transport;
  };

export interface McpDefinition {
  readonly name: string;
  readonly description: string | undefined;
  /** The server's statement about the tool, as far as it is pinned. */
  readonly declared: Readonly<Record<string, unknown>>;
  /** SHA-256 of the RFC 8785 form of it. */
  readonly digest: string;
}

/** One session with a server, and its tools as it listed them when the session began. */
export interface McpSession {
  readonly definitions: readonly McpDefinition[];
  /** Asks the server for its tools once more. @throws GuardrailError if it gives no usable answer */
  list(): Promise<readonly McpDefinition[]>;
  /** The server's own result, a failure of the tool among them. @throws GuardrailError if it gives no usable answer */
  call(name: string, input: McpInput, meta: Meta, signal: AbortSignal): Promise<McpResult>;
  close(): Promise<void>;
}

export type McpInput = Readonly<Record<string, unknown>>;
type Meta = Readonly<Record<string, string>>;

/** A tool's result in the words of MCP. */
export type McpResult = Awaited<ReturnType<Client['callTool']>>;

const definitionOf = (tool: McpTool): McpDefinition => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const declared = JSON.parse(JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }));
  return { name, description, declared, digest: sha256Hex(canonicalJson(declared)) };
};

/** A server may page for ever. */
const MAX_PAGES = 50;
const LISTING_TIMEOUT_MS = 15_000;

/** Every tool of a server with the digest that pins it. @throws GuardrailError if it gives no usable answer. */
export async function mcpDefinitions(connect: Connect, signal: AbortSignal): Promise<readonly McpDefinition[]> {
  const { definitions, close } = await openMcpSession(connect, signal);
  await close();
  return definitions;
}

/** @throws GuardrailError if the server cannot be reached, or gives no usable answer */
export async function openMcpSession(connect: Connect, signal: AbortSignal): Promise<McpSession> {
  const client = new Client({ name: 'countersign', version: '1.0.0' });
  let transport: Transport | undefined;
  const close = () => end(client, transport);
  const list = (within?: AbortSignal) => definitionsOf(client, within);
  try {
    const definitions = await unlessAborted(signal, async (opening) => {
      transport = await connect();
      await client.connect(transport, { signal: opening });
      return list(opening);
    });
    return {
      definitions,
      list: () => list().catch(refuseUnusable),
      call: (name, input, _meta, called) =>
        unlessAborted(called, (running) =>
          client.callTool({ name, arguments: { ...input }, _meta }, undefined, { signal: running, timeout: NEVER }),
        ).catch(refuseUnusable),
      close,
    };
  } catch (error) {
    await close();
    throw unusable(error);
  }
}

/** The SDK listens to a request's signal beyond the request's end: it gets one that nobody aborts after that. */
async function unlessAborted<Value>(
  signal: AbortSignal,
  request: (own: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const own = new AbortController();
  const stop = () => own.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await request(own.signal);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function definitionsOf(client: Client, signal?: AbortSignal): Promise<McpDefinition[]> {
  const found: McpDefinition[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const options = signal ? { signal } : { timeout: LISTING_TIMEOUT_MS };
    const { tools, nextCursor } = await client.listTools(cursor ? { cursor } : {}, options);
    found.push(...tools.map(definitionOf));
    cursor = nextCursor;
    if (!cursor) return found;
  }
  throw executionError('The MCP server lists tools without end.', { effect: 'unknown' });
}

const refuseUnusable = (cause: unknown): never => {
  throw unusable(cause);
};

const unusable = (cause: unknown): GuardrailError =>
  cause instanceof GuardrailError
    ? cause
    : executionError('The MCP server gave no usable answer.', { transient: true, effect: 'unknown', cause });

/** A server that keeps sessions may forget this one; whoever does not answer that is left behind. */
const LEAVE_MS = 1_000;

async function end(client: Client, transport: Transport | undefined): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    const left = transport.terminateSession().catch(() => undefined);
    await Promise.race([left, delay(LEAVE_MS, undefined, { ref: false })]);
  }
  await client.close().catch(() => undefined);
}
