/** Opens sessions with MCP servers by the official SDK, and computes the digests of their tools. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError, type Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { executionError, GuardrailError } from '../../guardrails/settings/errors.ts';

/** The attempt's own deadline is the signal's; the SDK would give up after a minute. */
const NEVER = 2 ** 31 - 1;

/** The way to a server, whose name stands in messages. */
export interface McpLink {
  readonly server: string;
  /** @throws GuardrailError if there is no use in trying now */
  readonly connect: () => Promise<Transport>;
}

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
type McpResult = Awaited<ReturnType<Client['callTool']>>;

const definitionOf = (tool: McpTool): McpDefinition => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const declared = JSON.parse(JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }));
  return { name, description, declared, digest: sha256Hex(canonicalJson(declared)) };
};

/** A server may page for ever. */
const MAX_PAGES = 50;
const LISTING_TIMEOUT_MS = 15_000;

/** Every tool of a server with the digest that pins it. @throws GuardrailError if it gives no usable answer. */
export async function mcpDefinitions(link: McpLink, signal: AbortSignal): Promise<readonly McpDefinition[]> {
  const { definitions, close } = await openMcpSession(link, signal);
  await close();
  return definitions;
}

/** @throws GuardrailError if the server cannot be reached, or gives no usable answer */
export async function openMcpSession({ server, connect }: McpLink, signal: AbortSignal): Promise<McpSession> {
  const unusableAs =
    (whenClosed: string) =>
    (cause: unknown): never => {
      throw unusable(cause, server, whenClosed);
    };
  const client = new Client({ name: 'countersign', version: '1.0.0' });
  let transport: Transport | undefined;
  const close = () => end(client, transport);
  const list = (within?: AbortSignal) => definitionsOf(client, server, within);
  try {
    const definitions = await unlessAborted(signal, async (opening) => {
      transport = await connect();
      await client.connect(transport, { signal: opening });
      return list(opening);
    });
    return {
      definitions,
      list: () => list().catch(unusableAs(ENDED)),
      call: (name, input, _meta, called) =>
        unlessAborted(called, (running) =>
          client.callTool({ name, arguments: { ...input }, _meta }, undefined, { signal: running, timeout: NEVER }),
        ).catch(unusableAs(ENDED_IN_CALL)),
      close,
    };
  } catch (error) {
    await close();
    throw unusable(error, server, ENDED);
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

async function definitionsOf(client: Client, server: string, signal?: AbortSignal): Promise<McpDefinition[]> {
  const found: McpDefinition[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const options = signal ? { signal } : { timeout: LISTING_TIMEOUT_MS };
    const { tools, nextCursor } = await client.listTools(cursor ? { cursor } : {}, options);
    found.push(...tools.map(definitionOf));
    cursor = nextCursor;
    if (!cursor) return found;
  }
  throw executionError(`The MCP server ${server} lists tools without end.`, { effect: 'unknown' });
}

const ENDED = 'ended before it said what tools it has';
const ENDED_IN_CALL = 'ended while the call ran: whether the call took effect is not known';

/** @param whenClosed of a server that ended, after its name */
function unusable(cause: unknown, server: string, whenClosed: string): GuardrailError {
  if (cause instanceof GuardrailError) return cause;
  const isClosed = cause instanceof McpError && cause.code === ErrorCode.ConnectionClosed;
  const message = `The MCP server ${server} ${isClosed ? whenClosed : 'gave no usable answer'}.`;
  return executionError(message, { transient: true, effect: 'unknown', cause });
}

/** A server that keeps sessions may forget this one; whoever does not answer that is left behind. */
const END_TIMEOUT_MS = 1_000;

async function end(client: Client, transport: Transport | undefined): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    const left = transport.terminateSession().catch(() => undefined);
    await Promise.race([left, delay(END_TIMEOUT_MS, undefined, { ref: false })]);
  }
  await client.close().catch(() => undefined);
}
