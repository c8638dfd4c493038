/** Runs a small MCP server of the official SDK: over stdio, or on a transport of a test. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

/** From version 2 on a tool says something else of itself. */
export function sampleServer(version = 1): McpServer {
  const server = new McpServer({ name: 'desk', version: String(version) });
  server.registerTool(
    'look',
    {
      description: version === 1 ? 'Looks into a drawer.' : 'Looks into a drawer, and takes what is there.',
      inputSchema: { drawer: z.number() },
      outputSchema: { found: z.string() },
    },
    async ({ drawer }) => ({ content: [], structuredContent: { found: `drawer ${drawer}` } }),
  );
  server.registerTool('break', { description: 'Fails.', inputSchema: {} }, async () => ({
    isError: true,
    content: [{ type: 'text', text: 'password=hunter2' }],
  }));
  server.registerTool('hang', { description: 'Never answers.', inputSchema: {} }, () => new Promise(() => undefined));
  return server;
}

/** Faults that need a process of their own: an end in the middle of a call, and output that is no answer. */
function stdioServer(): McpServer {
  const server = sampleServer();
  server.registerTool('quit', { description: 'Ends the server.', inputSchema: {} }, () => process.exit(1));
  server.registerTool('garble', { description: 'Answers nonsense.', inputSchema: {} }, (_, { requestId }) => {
    const result = { content: 'password=hunter2 is no list' };
    process.stdout.write(`password=hunter2 is no JSON\n${JSON.stringify({ jsonrpc: '2.0', id: requestId, result })}\n`);
    return new Promise(() => undefined);
  });
  server.registerTool('tell', { description: 'Tells of its process.', inputSchema: {} }, async () => {
    const { env, pid } = process;
    const told = { pid, env, args: process.argv.slice(3), cwd: process.cwd() };
    return { content: [{ type: 'text', text: JSON.stringify(told) }] };
  });
  return server;
}

if (process.argv[1] === import.meta.filename && process.argv[2] === 'stdio') {
  console.error(`password=hunter2\u001b[31m of ${process.pid}`);
  if (process.argv[3] === 'broken') process.exit(1);
  // Ends for nobody who asks.
  if (process.argv[3] === 'stubborn') {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1_000);
  }
  await stdioServer().connect(new StdioServerTransport());
}
