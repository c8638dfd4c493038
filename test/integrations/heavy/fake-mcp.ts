/** Serves the tools of a scene over MCP on loopback, to a program that connects to them by itself. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { World } from '../scene.ts';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: unknown;
  };
}

interface FakeMcp {
  readonly url: string;
  close(): void;
}

const TOOLS = [
  ['Refund', { amount: { type: 'number' } }],
  ['Lookup', { id: { type: 'string' } }],
  ['Wipe', {}],
] as const;

const tools = TOOLS.map(([name, properties]) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
}));

export async function fakeMcp(scene: World): Promise<FakeMcp> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, ...call } = JSON.parse(Buffer.concat(chunks).toString()) as Request;
      if (id === undefined) return response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answerTo(scene, call) }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answerTo(scene: World, { method, params = {} }: Request): object {
  const { protocolVersion, name = '', arguments: input } = params;
  if (method === 'initialize')
    return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 't', version: '1.0.0' } } };
  if (method === 'tools/list') return { result: { tools } };
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text: scene.work(name, input) }] } };
  return { error: { code: -32_601, message: 'Method not found' } };
}
