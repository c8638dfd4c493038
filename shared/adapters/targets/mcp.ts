/** Tools of an MCP server, through the official SDK. A tool is the one that was listed only while its definition has the listed digest. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import type { Attempt } from '../../guardrails/call.ts';
import { authError, executionError, GuardrailError } from '../../guardrails/errors.ts';
import { checkedOutput, limitedFetch } from './output.ts';

/** The attempt's own deadline is the signal's; the SDK would give up after a minute. */
const NEVER = 2 ** 31 - 1;

export type Connect = () => Promise<Transport>;

/** Streamable HTTP. The gate has no stdio: whoever runs the server as a child process does that at the agent's side. */
export const overHttp =
  (url: string, token?: () => Promise<string>): Connect =>
  async () => {
    const headers = token ? { authorization: `Bearer ${await token()}` } : undefined;
    // The SDK's class and its interface differ in how they write an absent field.
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { redirect: 'error', ...(headers ? { headers } : {}) },
      fetch: limitedFetch,
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
  readonly digest: string;
}

const definitionOf = (tool: McpTool): McpDefinition => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const said = JSON.parse(JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }));
  return { name, description, digest: sha256Hex(canonicalJson(said)) };
};

/** A server may page for ever. */
const MOST_PAGES = 50;

/** Every tool of a server with the digest that pins it. */
export function mcpDefinitions(connect: Connect, signal?: AbortSignal): Promise<McpDefinition[]> {
  return connected(connect, signal, async (client) => {
    const found: McpDefinition[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { tools, nextCursor } = await client.listTools(cursor ? { cursor } : {}, signal ? { signal } : {});
      found.push(...tools.map(definitionOf));
      cursor = nextCursor;
      if (!cursor) return found;
    }
    throw new Error('the server lists tools without end');
  });
}

/** Why the tool must not be run: it is gone, or it is no longer the one that was listed. */
export async function mcpProblem(
  connect: Connect,
  tool: string,
  digest: string,
  signal?: AbortSignal,
): Promise<GuardrailError | undefined> {
  const found = (await mcpDefinitions(connect, signal)).find(({ name }) => name === tool);
  if (!found) return authError('ToolGone', 'The MCP server does not have this tool.');
  if (found.digest === digest) return undefined;
  return authError('ToolChanged', 'The definition of this tool is another than the one that the policy file lists.');
}

export function callMcp(connect: Connect, tool: string, maxBytes: number, attempt: Attempt): Promise<unknown> {
  const { input, signal, idempotencyKey, correlationId } = attempt;
  return connected(connect, signal, async (client) => {
    const _meta = { 'countersign/correlationId': correlationId, ...(idempotencyKey ? { idempotencyKey } : {}) };
    const params = { name: tool, arguments: input as Record<string, unknown>, _meta };
    const result = await client.callTool(params, undefined, { signal, timeout: NEVER });
    if (result.isError) throw executionError('The MCP tool said that it failed.', { effect: 'failed' });
    return checkedOutput(result.structuredContent ?? result.content ?? null, maxBytes);
  });
}

async function connected<Result>(
  connect: Connect,
  signal: AbortSignal | undefined,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ name: 'countersign', version: '1.0.0' });
  try {
    await client.connect(await connect(), signal ? { signal } : {});
    return await work(client);
  } catch (error) {
    if (error instanceof GuardrailError) throw error;
    throw executionError('The MCP server gave no usable answer.', { transient: true, effect: 'unknown', cause: error });
  } finally {
    await client.close().catch(() => undefined);
  }
}
