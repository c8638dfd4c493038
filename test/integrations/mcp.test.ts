/**
 * Runs tools of an MCP server behind the gate, with clients of both protocol revisions.
 *
 * Both generations of the SDK are used.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createMcpHandler, createRequestStateCodec, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { CountersignClient } from '../../shared/client/index.ts';
import { gatedServer } from '../../shared/client/integrations/mcp.ts';
import { type Adapter, describeAdapter, type Episode, type ModelCall } from './contract.ts';
import { Scene, type World } from './scene.ts';

const INFO = { name: 'tools', version: '1.0.0' };
const STILL_ASKED = 'People are still being asked about this call. It was not run.';

type Text = { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
interface Tools {
  callTool(call: { name: string; arguments: Record<string, unknown> }, signal?: AbortSignal): Promise<Text>;
  close(): Promise<void>;
}

/** Registers the tools of the scene; the ids of its calls are those of the model. */
function withTools<S extends { registerTool: unknown }>(
  server: S,
  scene: World,
  ids: string[],
  client = scene.client(),
): S {
  const gated = gatedServer(server as never, client, {
    newId: () => ids.shift() ?? 'none',
  }) as unknown as McpServer;
  const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] });
  gated.registerTool('Refund', { inputSchema: z.object({ amount: z.number() }) }, (input) =>
    answer(scene.work('Refund', input)),
  );
  gated.registerTool('Lookup', { inputSchema: z.object({ id: z.string() }) }, (input) =>
    answer(scene.work('Lookup', input)),
  );
  gated.registerTool('Wipe', {}, () => answer(scene.work('Wipe', {})));
  return server;
}

/** Over HTTP each request of the newer revision gets a server built anew. */
const modern = async (scene: World, ids: string[]): Promise<Tools> => {
  const handler = createMcpHandler(() => withTools(new McpServer(INFO), scene, ids));
  const fetch = async (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
  return {
    callTool: async (call, signal) => (await client.callTool(call, signal ? { signal } : {})) as unknown as Text,
    close: () => client.close(),
  };
};

const old = async (scene: World, ids: string[]): Promise<Tools> => {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await withTools(new OldServer(INFO), scene, ids).connect(there);
  const client = new OldClient(INFO);
  await client.connect(here);
  return {
    callTool: async (call, signal) => (await client.callTool(call, undefined, signal ? { signal } : {})) as Text,
    close: () => client.close(),
  };
};

async function seenBy(tools: Tools, { tool, input }: ModelCall, signal?: AbortSignal): Promise<string> {
  for (;;) {
    const { content } = await tools.callTool({ name: tool, arguments: { ...input } }, signal);
    const text = content.map((part) => part.text).join('\n');
    // As the model is told to.
    if (!text.includes('It was not run. Call the tool again')) return text;
  }
}

const adapterOf = (name: string, connect: typeof old): Adapter => ({
  name,
  suspends: false,
  run: 'mcp',
  refusal: (message) => message,
  async start(scene, calls, { signal } = {}): Promise<Episode> {
    const tools = await connect(
      scene,
      calls.map(({ id }) => id),
    );
    const seen = await Promise.all(calls.map(async (call) => [call.id, await seenBy(tools, call, signal)]));
    await tools.close();
    return { waiting: [], state: '', seen: Object.fromEntries(seen) };
  },
});

describeAdapter(adapterOf('mcp, revision 2025-11-25', old));
describeAdapter(adapterOf('mcp, revision 2026-07-28', modern));

test('a call that is held too long is told to come again, and meets the waiting approval', async () => {
  const scene = new Scene();
  const tools = await old(scene, ['call_10', 'another']);
  const call = { name: 'Refund', arguments: { amount: 10 } };
  const { content } = await tools.callTool(call);
  expect(content[0]?.text).toContain('Call the tool again with the same arguments');
  scene.answer();
  await scene.until(async () => (await scene.endOf('call_10', 'mcp')) === 'approved');
  expect((await tools.callTool(call)).content[0]?.text).toBe('Refund done');
  expect(scene.asked).toEqual([10]);
  scene.stop();
});

test('a client of the older revision meets its waiting approval, where each request has a server of its own', async () => {
  const scene = new Scene();
  const [client, ids] = [scene.client(), ['call_10', 'another']];
  const handler = createMcpHandler(() => withTools(new McpServer(INFO), scene, ids, client));
  const fetch = async (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const tools = new Client(INFO);
  await tools.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
  const call = () => tools.callTool({ name: 'Refund', arguments: { amount: 10 } }) as unknown as Promise<Text>;
  expect((await call()).content[0]?.text).toContain('Call the tool again with the same arguments');
  scene.answer();
  await scene.until(async () => (await scene.endOf('call_10', 'mcp')) === 'approved');
  expect((await call()).content[0]?.text).toBe('Refund done');
  expect(scene.asked).toEqual([10]);
  scene.stop();
});

test('a client that a server knows by a header of its own does not meet the approval of another one', async () => {
  const scene = new Scene();
  const [client, ids] = [scene.client(), ['call_10', 'another']];
  const handler = createMcpHandler(() => withTools(new McpServer(INFO), scene, ids, client));
  const callOf = async (user: string) => {
    const fetch = async (url: string | URL, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      headers.set('x-user', user);
      headers.set('x-request-id', String(Math.random()));
      return handler.fetch(new Request(url, { ...init, headers }));
    };
    const tools = new Client(INFO);
    await tools.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
    return () => tools.callTool({ name: 'Refund', arguments: { amount: 10 } }) as unknown as Promise<Text>;
  };
  const [anna, eve] = [await callOf('anna'), await callOf('eve')];
  expect((await anna()).content[0]?.text).toContain(STILL_ASKED);
  scene.answer();
  await scene.until(async () => (await scene.endOf('call_10', 'mcp')) === 'approved');
  await eve();
  // People were asked about the call of the other client by itself.
  expect(scene.asked).toEqual([10, 10]);
  expect((await anna()).content[0]?.text).toBe('Refund done');
  expect(scene.asked).toEqual([10, 10]);
  scene.stop();
});

test('a client of the newer revision comes back by itself for minutes, to servers that remember nothing', async () => {
  const scene = new Scene();
  const tools = await modern(scene, ['call_10', 'another']);
  const waiting = tools.callTool({ name: 'Refund', arguments: { amount: 10 } });
  await scene.until(() => scene.asked.length === 1);
  const began = scene.now();
  await scene.until(() => scene.now() - began > 3 * 60_000);
  scene.answer();
  expect((await waiting).content[0]?.text).toBe('Refund done');
  expect(scene.asked).toEqual([10]);
  scene.stop();
});

test.each([
  ['older', old],
  ['newer', modern],
] as const)(
  'the question of a client of the %s revision outlives a round in which no decision can be read',
  async (_, connect) => {
    const scene = new Scene();
    const { reader, ...options } = scene.gate.clientOptions('coder');
    let isDown = false;
    const read: NonNullable<typeof reader>['read'] = async (...given) => {
      if (isDown) throw new Error('connect ETIMEDOUT');
      return reader?.read(...given);
    };
    const client = new CountersignClient({ ...options, reader: { read } });
    let rounds = 0;
    const guard: typeof client.guard = (settings) => {
      const own = client.guard(settings);
      const run: typeof own.run = (...given) => {
        rounds++;
        return own.run(...given);
      };
      return { ...own, run };
    };
    const counting = { guard } as CountersignClient;
    const shaky = {
      client: () => counting,
      work: (...given: Parameters<World['work']>) => scene.work(...given),
    } as World;
    const tools = await connect(shaky, ['call_10', 'another']);
    const ended = (async () => {
      for (;;) {
        const { content } = await tools.callTool({ name: 'Refund', arguments: { amount: 10 } });
        if (!content[0]?.text.includes('Call the tool again')) return content[0]?.text;
      }
    })();
    await scene.until(() => scene.asked.length === 1);
    isDown = true;
    // The second round reads nothing at all.
    await scene.until(() => rounds === 3);
    isDown = false;
    scene.answer();
    expect(await ended).toBe('Refund done');
    expect(scene.asked).toEqual([10]);
    await tools.close();
    scene.stop();
  },
);

test('a tool that asks its client in rounds is shown its own states alone, and a server that checks these takes the gate’s', async () => {
  const scene = new Scene();
  const codec = createRequestStateCodec({ key: 'k'.repeat(32) });
  const shown: unknown[] = [];
  const handler = createMcpHandler(() => {
    const server = gatedServer(new McpServer(INFO, { requestState: { verify: codec.verify } }), scene.client());
    server.registerTool('Refund', { inputSchema: z.object({ amount: z.number() }) }, async (input, context) => {
      shown.push(context.mcpReq.requestState());
      if (shown.length < 2) return inputRequired({ requestState: await codec.mint({ step: 1 }, context) });
      return { content: [{ type: 'text', text: scene.work('Refund', input) }] };
    });
    return server;
  });
  const fetch = async (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
  const called = client.callTool({ name: 'Refund', arguments: { amount: 10 } });
  await scene.until(() => scene.asked.length === 1);
  const began = scene.now();
  await scene.until(() => scene.now() - began > 60_000);
  scene.answer();
  expect((await called) as unknown as Text).toMatchObject({ content: [{ text: 'Refund done' }] });
  expect(shown).toEqual([undefined, { step: 1 }]);
  await client.close();
  scene.stop();
});

test('a state that a client makes up in the form of the gate’s is checked where a prompt would be shown it', async () => {
  const scene = new Scene();
  const { verify } = createRequestStateCodec({ key: 'k'.repeat(32) });
  const handler = createMcpHandler(() => {
    const server = gatedServer(new McpServer(INFO, { requestState: { verify } }), scene.client());
    server.registerPrompt('letter', {}, (context) => {
      const text = `state: ${context.mcpReq.requestState()}`;
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    });
    return server;
  });
  const fetch = async (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
  const asked = (requestState?: string) => client.getPrompt({ name: 'letter', ...(requestState && { requestState }) });
  expect(JSON.stringify(await asked())).toContain('state: undefined');
  await expect(asked('countersign.made-up.1')).rejects.toThrow('requestState');
  await client.close();
  scene.stop();
});

test('a tool with an output schema is told to come again in a result that clients take', async () => {
  const scene = new Scene();
  const server = gatedServer(new OldServer(INFO), scene.client());
  server.registerTool(
    'Refund',
    { inputSchema: { amount: z.number() }, outputSchema: { done: z.string() } },
    async (input: object) => ({ content: [], structuredContent: { done: scene.work('Refund', input) } }),
  );
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  const client = new OldClient(INFO);
  await client.connect(here);
  await client.listTools();
  const call = { name: 'Refund', arguments: { amount: 10 } };
  expect((await client.callTool(call)) as Text).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining(STILL_ASKED) }],
  });
  scene.answer();
  expect(await client.callTool(call)).toMatchObject({ structuredContent: { done: 'Refund done' } });
  expect(scene.asked).toEqual([10]);
  scene.stop();
});

test('the same call twice at once, after both were told to come again, runs each under a permit of its own', async () => {
  const scene = new Scene();
  const tools = await old(scene, ['call_10', 'call_11']);
  const call = { name: 'Refund', arguments: { amount: 10 } };
  await tools.callTool(call);
  scene.answer();
  await Promise.all([tools.callTool(call), tools.callTool(call)]);
  expect(await Promise.all([scene.endOf('call_10', 'mcp'), scene.endOf('call_11', 'mcp')])).toEqual([
    'approved',
    'approved',
  ]);
  scene.stop();
});

test('a server that has tools already is refused: they would run unasked', () => {
  const server = new McpServer(INFO);
  server.registerTool('Wipe', {}, () => ({ content: [] }));
  const scene = new Scene();
  expect(() => gatedServer(server, scene.client())).toThrow('server: has tools already');
  scene.stop();
});
