/** Plays an MCP server over HTTP whose tools change, fail, wait, and tell how they were called. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import * as z from 'zod';

export interface BillingServer {
  readonly url: string;
  /** Each call as it arrived. */
  readonly ran: { readonly tool: string; readonly input: unknown; readonly meta?: unknown }[];
  /** Calls that were aborted while they ran. */
  readonly aborted: string[];
  /** The header of the last request. */
  authorization?: string;
  /** Another text changes the definition of every tool. */
  describedAs: string;
  /** While true no request is answered with success. */
  isAway: boolean;
  stop(): Promise<void>;
}

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

export async function startBillingServer(): Promise<BillingServer> {
  const http = createServer((request, response) => {
    billing.authorization = request.headers.authorization ?? '';
    if (billing.isAway) return void response.writeHead(503).end();
    const transport = new StreamableHTTPServerTransport({});
    void toolsOf(billing)
      .connect(transport as Transport)
      .then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const billing: BillingServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    ran: [],
    aborted: [],
    describedAs: 'of a shop',
    isAway: false,
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return billing;
}

function toolsOf({ ran, describedAs }: BillingServer): McpServer {
  const server = new McpServer({ name: 'billing', version: '1.0.0' });
  const described = (words: string) => ({ description: `${words} ${describedAs}` });
  server.registerTool(
    'refund',
    {
      ...described('Refunds an order'),
      inputSchema: { amount: z.number() },
      outputSchema: { refunded: z.number() },
    },
    async (input, { _meta: meta }) => {
      ran.push({ tool: 'refund', input, meta });
      return { ...text(`refunded ${input.amount}`), structuredContent: { refunded: input.amount } };
    },
  );
  server.registerTool(
    'lookup',
    { ...described('Looks at an order'), inputSchema: { id: z.string() } },
    async (input) => {
      ran.push({ tool: 'lookup', input });
      return text(`order ${input.id}`);
    },
  );
  for (const tool of ['wipe', 'unlisted'])
    server.registerTool(tool, described('Wipes'), async () => {
      ran.push({ tool, input: {} });
      return text('wiped');
    });
  server.registerTool('broken', described('Fails'), async () => ({ ...text('the ledger is locked'), isError: true }));
  return server;
}
