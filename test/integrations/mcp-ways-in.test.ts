/** Registers tools of an MCP server in every way that the SDK has: none of them runs unasked. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { gatedServer } from '../../shared/client/integrations/mcp.ts';
import { AMOUNT, aborted, LATE, Scene } from './scene.ts';

const INFO = { name: 'tools', version: '1.0.0' };

async function gated() {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  let calls = 0;
  const server = gatedServer(new OldServer(INFO), scene.client(), { newId: () => `call-${++calls}` });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new OldClient(INFO);
  const work = (name: string) => (input?: unknown) => ({
    content: [{ type: 'text' as const, text: scene.work(name, input ?? {}) }],
  });
  const connected = async () => {
    await server.connect(there);
    await client.connect(here);
    return async (name: string, input: object = {}) => {
      const { content } = await client.callTool({ name, arguments: { ...input } });
      return (content as { readonly text: string }[]).map(({ text }) => text).join('\n');
    };
  };
  return { scene, server, work, connected };
}

test('a tool of the older method is asked about like any other', async () => {
  const { scene, server, work, connected } = await gated();
  server.tool('Lookup', { id: z.string() }, work('Lookup'));
  server.tool('Wipe', 'Deletes everything', () => work('Wipe')());
  const call = await connected();
  expect(await call('Lookup', { id: 'a' })).toBe('Lookup done');
  expect(await call('Wipe')).toContain('Wipe');
  expect(scene.ran).toEqual([{ tool: 'Lookup', input: { id: 'a' } }]);
});

test('a handler that takes the place of another stays behind the gate', async () => {
  const { scene, server, work, connected } = await gated();
  const wipe = server.registerTool('Wipe', {}, () => work('Wipe')());
  wipe.update({ callback: () => work('Wipe')() });
  const lookup = server.tool('Lookup', { id: z.string() }, work('Lookup'));
  lookup.update({ callback: (input) => work('Lookup')({ again: input }) });
  const call = await connected();
  expect(await call('Wipe')).toContain('Wipe');
  expect(await call('Lookup', { id: 'a' })).toBe('Lookup done');
  expect(scene.ran).toEqual([{ tool: 'Lookup', input: { again: { id: 'a' } } }]);
});

test('a handler that is assigned to a tool stays behind the gate, and may hand its call on to the one before', async () => {
  const { scene, server, work, connected } = await gated();
  const wipe = server.registerTool('Wipe', {}, () => work('Wipe')());
  wipe.handler = () => work('Wipe')();
  const refund = server.registerTool('Refund', { inputSchema: { amount: z.number() } }, work('Refund'));
  const before = refund.handler as (...given: unknown[]) => never;
  refund.handler = ((input: object, extra: object) => before({ ...input }, { ...extra })) as never;
  const lookup = server.registerTool('Lookup', { inputSchema: { id: z.string() } }, work('Lookup'));
  lookup.handler = ((_: object, extra: object) => before({ amount: scene.refused }, extra)) as never;
  const call = await connected();
  scene.answer();
  expect(await call('Wipe')).toContain('Wipe');
  const { approved, edited } = AMOUNT;
  expect(await call('Refund', { amount: approved })).toBe('Refund done');
  expect(await call('Refund', { amount: edited })).toContain('Refund done');
  // A second person was asked about the edited amount.
  expect(scene.asked).toEqual([approved, edited, edited]);
  expect(await call('Lookup', { id: 'a' })).toContain('refused this call');
  expect(scene.asked.at(-1)).toBe(scene.refused);
  expect(scene.ran.map(({ tool }) => tool)).toEqual(['Refund', 'Refund']);
});

test('arguments that a tool takes from a later schema are those that people see', async () => {
  const { scene, server, work, connected } = await gated();
  const refund = server.registerTool('Refund', {}, work('Refund') as never);
  refund.update({ paramsSchema: { amount: z.number() } });
  const call = await connected();
  scene.answer();
  expect(await call('Refund', { amount: 10 })).toBe('Refund done');
  expect(scene.asked).toEqual([10]);
  expect(scene.ran).toEqual([{ tool: 'Refund', input: { amount: 10 } }]);
});

test('a tool under another name is judged under that name', async () => {
  const { scene, server, work, connected } = await gated();
  const lookup = server.registerTool('Lookup', {}, () => work('Lookup')());
  lookup.update({ name: 'Wipe' });
  const call = await connected();
  expect(await call('Wipe')).toContain('Wipe');
  expect(scene.ran).toEqual([]);
});

test('a tool that runs as a task is refused when it is registered', async () => {
  const { server } = await gated();
  const { tasks } = server.experimental;
  expect(() => tasks.registerToolTask('Wipe', {}, {} as never)).toThrow('runs as a task');
});

test('an edit that the schema of the tool refuses does not reach its handler', async () => {
  const { scene, server, work, connected } = await gated();
  server.registerTool('Refund', { inputSchema: { amount: z.number().min(10) } }, work('Refund'));
  const call = await connected();
  scene.answer();
  expect(await call('Refund', { amount: AMOUNT.edited })).toMatch(/^The tool was not run\..*amount/);
  expect(scene.ran).toEqual([]);
});

test('the same holds for a server of the newer generation', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const server = gatedServer(new McpServer(INFO), scene.client(), { newId: () => 'call-1' });
  const inputSchema = z.object({ amount: z.number().min(10) });
  server.registerTool('Refund', { inputSchema }, (input) => ({
    content: [{ type: 'text', text: scene.work('Refund', input) }],
  }));
  const handler = createMcpHandler(() => server);
  const fetch = async (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
  const answer = await client.callTool({ name: 'Refund', arguments: { amount: AMOUNT.edited } });
  expect(JSON.stringify(answer)).toContain('The tool was not run.');
  expect(scene.ran).toEqual([]);
});

test('what a server of the newer generation is given to execute stays behind the gate', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const server = gatedServer(new McpServer(INFO), scene.client());
  const wiped = () => ({ content: [{ type: 'text' as const, text: scene.work('Wipe', {}) }] });
  const lookup = server.registerTool('Lookup', { inputSchema: z.object({ id: z.string() }) }, wiped);
  lookup.update({ callback: (input) => ({ content: [{ type: 'text', text: scene.work('Lookup', input) }] }) });
  const wipe = server.registerTool('Wipe', {}, wiped);
  wipe.executor = async () => wiped();
  const handler = createMcpHandler(() => server);
  const fetch = async (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
  expect(JSON.stringify(await client.callTool({ name: 'Wipe', arguments: {} }))).toContain('Denied');
  expect(JSON.stringify(await client.callTool({ name: 'Lookup', arguments: { id: 'a' } }))).toContain('Lookup done');
  expect(scene.ran).toEqual([{ tool: 'Lookup', input: { id: 'a' } }]);
});

test('a tool is told when the time of the guardrails is over', async () => {
  const { server, connected } = await gated();
  const told = Promise.withResolvers<unknown>();
  server.registerTool('Slow', { inputSchema: { id: z.string() } }, async (_, { signal }) => {
    told.resolve(await aborted(signal));
    return { content: [] };
  });
  const call = await connected();
  expect(await call('Slow', { id: 'a' })).toMatch(LATE);
  expect(await told.promise).toMatchObject({ code: 'Timeout' });
});

test('arguments that the schema of a tool converts run as people saw them, and no others in their place', async () => {
  const { scene, server, work, connected } = await gated();
  scene.answer();
  const inputSchema = { amount: z.number().transform((amount) => amount / 2) };
  server.registerTool('Refund', { inputSchema }, work('Refund'));
  const call = await connected();
  const { approved, edited } = AMOUNT;
  expect(await call('Refund', { amount: 2 * approved })).toBe('Refund done');
  expect(await call('Refund', { amount: 2 * edited })).toMatch(/^The tool was not run\..*converts arguments/);
  expect(scene.ran).toEqual([{ tool: 'Refund', input: { amount: approved } }]);
});
