/** Reaches MCP servers over streamable HTTP. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpLink } from './mcp-session.ts';
import { guardedFetch } from './output.ts';

/** The only way of the gate itself: programs are started at the agent's side (`overProgram`). */
export const overHttp = (server: string, url: string, token?: () => Promise<string>): McpLink => ({
  server,
  connect: async () => {
    const headers = token ? { authorization: `Bearer ${await token()}` } : undefined;
    // The SDK's class and its interface differ in how they write an absent field.
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { redirect: 'error', ...(headers ? { headers } : {}) },
      fetch: guardedFetch(`mcp::${server}`),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
      },
    }) as Transport;
  },
});
