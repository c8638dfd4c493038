/** Speaks MCP with one client of the gateway, over any transport. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import manifest from '../../../package.json' with { type: 'json' };
import type { Gateway } from './gateway.ts';

const INSTRUCTIONS =
  'Calls of these tools may wait for people. A result that says so means that the call was not run: call the tool again with the same arguments. A refusal is final for these arguments.';

/** Tools alone: no other part of a server is behind the gate. The close of the connection aborts the calls under way. */
export function gatewayServer(gateway: Gateway): Server {
  const info = { name: 'countersign', version: manifest.version };
  const server = new Server(info, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await gateway.list() }) as object);
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, authInfo }) => {
    const { gone } = (authInfo?.extra ?? {}) as { readonly gone?: AbortSignal };
    const waits = gone ? AbortSignal.any([signal, gone]) : signal;
    return (await gateway.call(params.name, params.arguments ?? {}, waits)) as object;
  });
  return server;
}
