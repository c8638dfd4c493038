/** Checks that a call over HTTP ends with its answer's stream, whatever the server leaves of it. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { overHttp } from '../../../../shared/adapters/targets/mcp-http.ts';
import { openMcpSession } from '../../../../shared/adapters/targets/mcp-session.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

const message = (id: unknown, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result });
const TOOLS = { tools: [{ name: 'book', inputSchema: { type: 'object' } }] };

/** A server that answers calls by `answer`, and everything else as it should. */
async function sessionWith(
  answer: (response: ServerResponse, id: number) => void,
  resume?: (response: ServerResponse, lastEventId: string) => void,
) {
  server = createServer(async (request, response) => {
    const lastEventId = request.headers['last-event-id'];
    if (request.method === 'GET' && resume && lastEventId) return resume(response, String(lastEventId));
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = (await json(request)) as { id?: number; method: string; params: object };
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call') return answer(response, id);
    const first = { ...params, capabilities: { tools: {} }, serverInfo: { name: 'desk', version: '1' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(message(id, method === 'initialize' ? first : TOOLS));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return openMcpSession(overHttp('desk', url), AbortSignal.timeout(5_000));
}

const SSE = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
const event = (data: string) => `event: message\ndata: ${data}\n\n`;

test.each<[string, (response: ServerResponse, id: number) => void]>([
  ['a stream that breaks', (response) => response.writeHead(200, SSE).write(': open\n\n', () => response.destroy())],
  ['a stream that ends', (response) => response.writeHead(200, SSE).end(': open\n\n')],
  ['a stream that is to be taken up later', (response) => response.writeHead(200, SSE).end('id: 1\ndata: \n\n')],
  ['a result that is none', (response, id) => response.writeHead(200, SSE).end(event(message(id, null)))],
  ['a result of another call', (response) => response.writeHead(200, SSE).end(event(message(999, {})))],
  ['an answer of another call', (response) => response.writeHead(200, JSON_TYPE).end(message(999, {}))],
  ['a note that the call has come', (response) => response.writeHead(202).end()],
])('%s: the call ends, and its effect is unknown', async (_, answer) => {
  const session = await sessionWith(answer);
  const called = session.call('book', {}, {}, AbortSignal.timeout(4_000));
  await expect(called).rejects.toMatchObject({
    effect: 'unknown',
    message: expect.stringContaining('The MCP server desk ended while the call ran'),
  });
  await session.close();
});

test.each<[string, (response: ServerResponse, result: string) => void]>([
  ['a stream', (response, result) => response.writeHead(200, SSE).end(event(result))],
  ['JSON', (response, result) => response.writeHead(200, JSON_TYPE).end(result)],
])('an answer that is too long, as %s, is told as such: its server has not ended', async (_, answer) => {
  const content = [{ type: 'text', text: 'x'.repeat(3_000_000) }];
  const session = await sessionWith((response, id) => answer(response, message(id, { content })));
  const called = session.call('book', {}, {}, AbortSignal.timeout(4_000)).catch((error: Error) => error);
  const { message: told, cause, effect } = (await called) as Error & { readonly effect: string };
  expect(`${told} ${(cause as Error | undefined)?.message}`).toContain('larger than 2097152 bytes');
  expect([told.includes('ended'), effect]).toEqual([false, 'unknown']);
  await session.close();
});

test('a response counts that comes after other messages, in parts and late', async () => {
  const session = await sessionWith(async (response, id) => {
    response.writeHead(200, SSE);
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'on it' } };
    response.write(event(JSON.stringify(note)));
    const text = event(message(id, { content: [{ type: 'text', text: 'booked' }] }));
    setTimeout(() => response.write(text.slice(0, 40)), 150);
    setTimeout(() => response.end(text.slice(40)), 300);
  });
  const { content } = await session.call('book', {}, {}, AbortSignal.timeout(4_000));
  expect(content).toEqual([{ type: 'text', text: 'booked' }]);
  await session.close();
});

test.each<[string, (response: ServerResponse) => void]>([
  ['ends', (response) => response.end()],
  ['breaks', (response) => response.write('id: 9\ndata: {"json', () => response.destroy())],
])('a stream that %s before the response is taken up at its last event, and then again', async (_, end) => {
  const resumed: string[] = [];
  let call = 0;
  const session = await sessionWith(
    (response, id) => {
      call = id;
      response.writeHead(200, SSE).write('retry: 10\nid: 1\ndata: \n\n', () => end(response));
    },
    (response, lastEventId) => {
      resumed.push(lastEventId);
      response.writeHead(200, SSE);
      if (lastEventId === '1') return void response.end('retry: 10\r\nid: 2\r\ndata: \r\n\r\n');
      response.end(`id: 3\n${event(message(call, { content: [{ type: 'text', text: 'booked' }] }))}`);
    },
  );
  const { content } = await session.call('book', {}, {}, AbortSignal.timeout(4_000));
  expect(content).toEqual([{ type: 'text', text: 'booked' }]);
  expect(resumed).toEqual(['1', '2']);
  await session.close();
});

test('a server that closes its streams and never answers leaves the effect unknown', async () => {
  let asked = 0;
  const primed = (response: ServerResponse) => response.writeHead(200, SSE).end('retry: 1\nid: 7\ndata: \n\n');
  const session = await sessionWith(primed, (response) => {
    asked += 1;
    primed(response);
  });
  await expect(session.call('book', {}, {}, AbortSignal.timeout(4_000))).rejects.toMatchObject({ effect: 'unknown' });
  expect(asked).toBe(1);
  await session.close();
});

test.each([
  ['one stream is longer than an answer may be', 3_000_000],
  ['all of its streams are longer than an answer may be', 500_000],
])('a stream is not taken up for ever: %s', async (_, length) => {
  let asked = 0;
  const long = (response: ServerResponse) =>
    response.writeHead(200, SSE).end(`retry: 1\nid: ${asked}\ndata: \n\n: ${'x'.repeat(length)}\n\n`);
  const session = await sessionWith(long, (response) => {
    asked += 1;
    long(response);
  });
  await expect(session.call('book', {}, {}, AbortSignal.timeout(4_000))).rejects.toMatchObject({ effect: 'unknown' });
  expect(asked).toBe(length > 2_000_000 ? 0 : 4);
  await session.close();
});

test.each([0, 600])('a call that is given up is asked for no more, though it is answered after %i ms', async (ms) => {
  let asked = 0;
  const primed = (response: ServerResponse) => response.writeHead(200, SSE).end(`retry: 20\nid: ${asked}\ndata: \n\n`);
  const session = await sessionWith(
    (response) => void delay(ms).then(() => primed(response)),
    (response) => {
      asked += 1;
      primed(response);
    },
  );
  await expect(session.call('book', {}, {}, AbortSignal.timeout(300))).rejects.toThrow();
  await delay(100 + ms);
  const then = asked;
  expect(then > 0).toBe(ms === 0);
  await delay(400);
  expect(asked).toBe(then);
  await session.close();
});

test('an answer that the SDK gives up unread is not left open', async () => {
  const closed = Promise.withResolvers<void>();
  const session = await sessionWith((response) => {
    response.on('close', closed.resolve);
    response.writeHead(200, { 'content-type': 'text/plain' }).write('it goes on');
  });
  await expect(session.call('book', {}, {}, AbortSignal.timeout(4_000))).rejects.toMatchObject({ effect: 'unknown' });
  await closed.promise;
  await session.close();
});
