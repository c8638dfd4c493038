/**
 * Tools of an MCP server, through the official SDK.
 * A tool is the one that was listed only while its definition has the listed digest.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import type { Attempt, OpenTool } from '../../guardrails/call.ts';
import { authError, executionError, GuardrailError } from '../../guardrails/errors.ts';
import { checkedOutput, guardedFetch } from './output.ts';

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

const definitionOf = (tool: McpTool): McpDefinition => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const declared = JSON.parse(JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }));
  return { name, description, declared, digest: sha256Hex(canonicalJson(declared)) };
};

/** A server may page for ever. */
const MAX_PAGES = 50;

/** Every tool of a server with the digest that pins it. @throws GuardrailError if it gives no usable answer. */
export async function mcpDefinitions(connect: Connect, signal: AbortSignal): Promise<McpDefinition[]> {
  const { definitions, close } = await openSession(connect, signal);
  await close();
  return definitions;
}

export interface McpTarget {
  /** The server's name of the tool. */
  readonly name: string;
  /** The digest that the policy file lists. */
  readonly definition: string;
  readonly maxBytes: number;
}

/** The tool in the session in which it was looked at. @throws GuardrailError if it is gone, or no longer the one that was listed. */
export async function openMcp(connect: Connect, target: McpTarget, signal: AbortSignal): Promise<OpenTool> {
  const { client, definitions, close } = await openSession(connect, signal);
  const found = definitions.find(({ name }) => name === target.name);
  if (found?.digest === target.definition) return { execute: (attempt) => call(client, target, attempt), close };
  await close();
  if (!found) throw authError('ToolGone', 'The MCP server does not have this tool.');
  throw authError(
    'ToolChanged',
    'The definition of this tool is another than the one that the policy file lists. Somebody has to look at it and list it anew; then propose the call again.',
  );
}

async function call(client: Client, { name, maxBytes }: McpTarget, attempt: Attempt): Promise<unknown> {
  const { input, signal, idempotencyKey, correlationId } = attempt;
  const _meta = { 'countersign/correlationId': correlationId, ...(idempotencyKey ? { idempotencyKey } : {}) };
  const params = { name, arguments: input as Record<string, unknown>, _meta };
  const result = await client.callTool(params, undefined, { signal, timeout: NEVER }).catch((cause: unknown) => {
    throw unusable(cause);
  });
  if (result.isError) throw executionError('The MCP tool said that it failed.', { effect: 'failed' });
  return checkedOutput(result.structuredContent ?? result.content ?? null, maxBytes);
}

interface Session {
  readonly client: Client;
  readonly definitions: McpDefinition[];
  readonly close: () => Promise<void>;
}

async function openSession(connect: Connect, signal: AbortSignal): Promise<Session> {
  const client = new Client({ name: 'countersign', version: '1.0.0' });
  // The SDK listens to a request's signal beyond the request's end: one of its own, that nobody aborts once the session is open.
  const opening = new AbortController();
  const stop = () => opening.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  let transport: Transport | undefined;
  const close = () => end(client, transport);
  try {
    transport = await connect();
    await client.connect(transport, { signal: opening.signal });
    return { client, definitions: await definitionsOf(client, opening.signal), close };
  } catch (error) {
    await close();
    throw unusable(error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function definitionsOf(client: Client, signal: AbortSignal): Promise<McpDefinition[]> {
  const found: McpDefinition[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { tools, nextCursor } = await client.listTools(cursor ? { cursor } : {}, { signal });
    found.push(...tools.map(definitionOf));
    cursor = nextCursor;
    if (!cursor) return found;
  }
  throw executionError('The MCP server lists tools without end.', { effect: 'unknown' });
}

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
