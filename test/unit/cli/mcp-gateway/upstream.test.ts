/** Checks that a call is made in the session that listed the tools, though another call replaces it. */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { type Listed, Upstream } from '../../../../shared/cli/mcp-gateway/upstream.ts';

/** One session of the server: its tool is described by the session's number. */
interface Session {
  /** Answers each further listing, in turn; the first of a session is answered at once. */
  readonly listings: (() => Promise<void>)[];
  isClosed: boolean;
}

const sessions: Session[] = [];

async function connect(): Promise<Transport> {
  const session: Session = { listings: [], isClosed: false };
  const number = sessions.push(session);
  const server = new Server({ name: 'desk', version: '1' }, { capabilities: { tools: {} } });
  server.onclose = () => {
    session.isClosed = true;
  };
  server.setRequestHandler(ListToolsRequestSchema, async () => {
    await session.listings.shift()?.();
    return { tools: [{ name: 'look', description: `of ${number}`, inputSchema: { type: 'object' as const } }] };
  });
  server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [{ type: 'text', text: `by ${number}` }] }));
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  return here;
}

/** Calls the tool, and tells which session it was looked at and called in. */
const look = async ({ definitions, call }: Listed): Promise<string> => {
  const { content } = await call('look', {}, {}, new AbortController().signal);
  return `${definitions[0]?.description} ${(content as readonly { readonly text: string }[])[0]?.text}`;
};

test('a session that another call replaced after the listing is not called: the tools are listed again', async () => {
  sessions.length = 0;
  const upstream = new Upstream({ server: 'desk', connect });
  expect(await upstream.listed(look)).toBe('of 1 by 1');
  const listed = Promise.withResolvers<void>();
  sessions[0]?.listings.push(
    () => listed.promise,
    () => Promise.reject(new Error('broken')),
  );
  const slow = upstream.listed(look);
  // The second listing fails in the first session, which is replaced.
  expect(await upstream.listed(look)).toBe('of 2 by 2');
  listed.resolve();
  expect(await slow).toBe('of 2 by 2');
  await upstream.close();
});

test('a session stays open for the work that began in it, and closes after that', async () => {
  sessions.length = 0;
  const upstream = new Upstream({ server: 'desk', connect });
  const begin = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const working = upstream.listed(async (found) => {
    begun.resolve();
    await begin.promise;
    return look(found);
  });
  await begun.promise;
  sessions[0]?.listings.push(() => Promise.reject(new Error('broken')));
  expect(await upstream.listed(look)).toBe('of 2 by 2');
  begin.resolve();
  expect(await working).toBe('of 1 by 1');
  await expect.poll(() => sessions.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  await upstream.close();
  await expect(upstream.listed(look)).rejects.toThrow('The MCP gateway has ended.');
});
