/** Reads the MCP example, which is a whole server: starts it as a client does, and calls its tool. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const env = Object.fromEntries(Object.entries(process.env).map(([name, value = '']) => [name, value]));
const client = new Client({ name: 'reader', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [String(process.argv[2])], env }));
const { content, isError = false } = await client.callTool({ name: 'Refund', arguments: { orderId: 'o-1' } });
console.log(isError, content.map((part) => ('text' in part ? part.text : part.type)).join());
await client.close();
