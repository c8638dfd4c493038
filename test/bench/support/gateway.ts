/** Measures `countersign mcp-gateway` in front of a program and of a server over HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { mcpDefinitions } from '../../../shared/adapters/targets/mcp-session.ts';
import { sampleServer } from '../../contract/support/mcp-server.ts';

const DESK = [new URL('../../contract/support/mcp-server.ts', import.meta.url).pathname, 'stdio'];
const WAYS = ['program', 'remote'] as const;

/** The servers behind the gateway, and the part of a policy file that lists them. */
interface Servers {
  readonly policy: string;
  /** A client of one of them, without the gate. */
  direct(way: (typeof WAYS)[number]): Promise<Client>;
  close(): void;
}

export async function startServers(): Promise<Servers> {
  const http = createServer((request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    void sampleServer()
      .connect(transport as Transport)
      .then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const connect = async () => new StreamableHTTPClientTransport(new URL(url)) as Transport;
  const definitions = await mcpDefinitions({ server: 'remote', connect }, AbortSignal.timeout(15_000));
  const digest = definitions.find(({ name }) => name === 'look')?.digest;
  return {
    policy: `
mcpServers:
  program: ${JSON.stringify({ command: process.execPath, args: DESK })}
  remote: { url: "${url}" }
guardrails: { mcp: { ratePerSecond: 1000, maxConcurrent: 200 } }
tools:
  Lookup: { permissions: [Network] }
${WAYS.map((way) => `  mcp__${way}__look: { permissions: [Network], effect: Pure, definition: ${digest} }`).join('\n')}
rules: { allow: [Lookup, ${WAYS.map((way) => `mcp__${way}__look`).join(', ')}] }
`,
    direct: async (way) =>
      connected(
        way === 'remote'
          ? await connect()
          : new StdioClientTransport({ command: process.execPath, args: DESK, stderr: 'ignore' }),
      ),
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

export async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

/** A call that has to succeed. */
export async function look(client: Client, name: string): Promise<void> {
  const result = await client.callTool({ name, arguments: { drawer: 2 } });
  if (result.isError || !result.structuredContent) throw new Error(`${name} answered ${JSON.stringify(result)}`);
}

/** The client's own transport, over loopback with the token of the door. */
export const overHttp = (url: string, token: string): Transport =>
  new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  }) as Transport;
