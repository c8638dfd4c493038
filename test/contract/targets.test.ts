/**
 * Runs the targets of tools against real HTTP and MCP servers.
 *
 * The HTTP endpoint misbehaves; the MCP servers are those of the official SDK, over HTTP and stdio.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callHttps } from '../../shared/adapters/targets/https.ts';
import { openMcp } from '../../shared/adapters/targets/mcp.ts';
import { overHttp } from '../../shared/adapters/targets/mcp-http.ts';
import { type McpLink, mcpDefinitions } from '../../shared/adapters/targets/mcp-session.ts';
import { cacheDirectory } from '../../shared/dev/aws/cache.ts';
import { endpointCertificate } from '../../shared/dev/aws/certificate.ts';
import { pythonWith } from '../../shared/dev/aws/python.ts';
import { PACKAGES } from '../../shared/dev/aws/start-ministack.ts';
import type { Attempt } from '../../shared/guardrails/settings/call.ts';
import { sampleServer } from './support/mcp-server.ts';

const attempt = (input: unknown = { q: 'x' }, ms = 1_000): Attempt => ({
  number: 1,
  input,
  idempotencyKey: 'key-1',
  headers: {},
  correlationId: 'c-1',
  deadlineAt: Date.now() + ms,
  signal: AbortSignal.timeout(ms),
  reportCost: () => undefined,
});

let server: Server;
let tlsServer: Server;
let base: string;
let tlsBase: string;
const seen: IncomingMessage[] = [];
let serverVersion = 1;

const ROUTES: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/echo': (request, response) => void request.pipe(response.writeHead(200, { 'content-type': 'application/json' })),
  '/hang': () => undefined,
  '/reset': (request) => void request.socket.destroy(),
  '/drip': (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  },
  '/endless': (_, response) => {
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', pour);
    pour();
  },
  '/busy': (_, response) => void response.writeHead(429, { 'retry-after': '7' }).end(),
  '/down': (_, response) => void response.writeHead(503, { 'retry-after': '2' }).end('password=hunter2 at /srv/x.js:1'),
  '/no': (_, response) => void response.writeHead(403).end('token=hunter2'),
  '/wrong': (_, response) => void response.writeHead(422).end('token=hunter2'),
  '/gone': (_, response) => void response.writeHead(404).end('token=hunter2'),
  '/html': (_, response) => void response.writeHead(200).end('<html>'),
  '/moved': (_, response) => void response.writeHead(302, { location: '/echo' }).end(),
};

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request);
    if (request.url === '/mcp') void mcp(request, response);
    else if (request.url === '/stateful') void statefulMcp(request, response);
    else ROUTES[request.url ?? '']?.(request, response);
  });
  const python = await pythonWith(PACKAGES, cacheDirectory(), console.log);
  const paths = await endpointCertificate(cacheDirectory(), python);
  const [cert, key] = [paths.certificate, paths.key].map((path) => readFileSync(path, 'utf8'));
  tlsServer = createTlsServer({ cert, key }, (request, response) => {
    seen.push(request);
    ROUTES[request.url ?? '']?.(request, response);
  });
  setDefaultCACertificates([...getCACertificates('default'), cert ?? '']);
  base = `http://127.0.0.1:${await portOf(server, '127.0.0.1')}`;
  tlsBase = `https://localhost:${await portOf(tlsServer, 'localhost')}`;
});
afterAll(() => {
  for (const one of [server, tlsServer]) {
    one.closeAllConnections();
    one.close();
  }
});

async function portOf(one: Server, host: string): Promise<number> {
  await new Promise<void>((resolve) => one.listen(0, host, resolve));
  return (one.address() as AddressInfo).port;
}

const json = async (request: IncomingMessage) => (await readJson(request)) as Record<string, unknown>;

/** Requests of MCP clients. */
const methods: string[] = [];

async function mcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Stateless: each request brings a server of its own.
  const transport = new StreamableHTTPServerTransport({});
  await sampleServer(serverVersion).connect(transport as Transport);
  const body = request.method === 'POST' ? await json(request) : undefined;
  if (body) methods.push(String(body['method']));
  await transport.handleRequest(request, response, body);
}

/** One session, kept from request to request. */
let kept: StreamableHTTPServerTransport | undefined;
async function statefulMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!kept) {
    kept = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 's-1' });
    await sampleServer().connect(kept as Transport);
  }
  await kept.handleRequest(request, response);
}

describe.each([
  ['HTTP', () => base],
  ['HTTPS', () => tlsBase],
])('an %s endpoint', (_, address) => {
  const call = (path: string, ms?: number, maxBytes = 1_000) =>
    callHttps(
      { url: address() + path, maxBytes, origin: 'local', now: Date.now, token: async () => 't-1' },
      attempt({ q: 'x' }, ms),
    );

  test('gets the input once, with key, correlation and token; its JSON is the output', async () => {
    expect(await call('/echo')).toEqual({ q: 'x' });
    expect(seen.at(-1)?.headers).toMatchObject({
      'idempotency-key': 'key-1',
      'x-correlation-id': 'c-1',
      authorization: 'Bearer t-1',
    });
  });

  test.each([
    ['/busy', { category: 'PolicyError', code: 'RateLimited', details: { retryAfterMs: 7_000, scope: 'provider' } }],
    ['/down', { code: 'ToolFailed', isRetryable: true, effect: 'unknown', details: { retryAfterMs: 2_000 } }],
    ['/no', { category: 'AuthError', code: 'TargetRefused', isRetryable: false, effect: 'failed' }],
    ['/wrong', { category: 'ContractError', code: 'TargetRefused', isRetryable: false, effect: 'failed' }],
    ['/gone', { category: 'ExecutionError', code: 'ToolFailed', isRetryable: false, effect: 'failed' }],
    ['/reset', { code: 'TargetUnreachable', isRetryable: true, effect: 'unknown' }],
    ['/html', { code: 'InvalidOutput', effect: 'unknown' }],
    ['/endless', { code: 'InvalidOutput', effect: 'unknown' }],
    ['/moved', { code: 'TargetUnreachable', effect: 'unknown' }],
  ])('%s is said in the words of the guardrails, and quotes nothing', async (path, expected) => {
    const error: unknown = await call(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(expected);
    expect(String(error)).not.toContain('hunter2');
  });

  test.each(['/hang', '/drip'])('%s ends at the deadline', async (path) => {
    const began = Date.now();
    await expect(call(path, 200)).rejects.toMatchObject({ code: 'TargetUnreachable', effect: 'unknown' });
    expect(Date.now() - began).toBeLessThan(2_000);
  });
});

test('where nobody listens surely nothing ran', async () => {
  const closed = createServer();
  const url = `http://127.0.0.1:${await portOf(closed, '127.0.0.1')}/`;
  await new Promise((resolve) => closed.close(resolve));
  const gone = callHttps({ url, maxBytes: 10, origin: 'local', now: Date.now }, attempt());
  await expect(gone).rejects.toMatchObject({ code: 'TargetUnreachable', effect: 'failed' });
});

const overStdio: McpLink = {
  server: 'desk',
  connect: async () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [new URL('./support/mcp-server.ts', import.meta.url).pathname, 'stdio'],
      stderr: 'ignore',
    }) as Transport,
};

describe.each([
  ['HTTP', () => overHttp('desk', `${base}/mcp`)],
  ['stdio', () => overStdio],
])('an MCP server over %s', (kind, linkOf) => {
  const signal = () => AbortSignal.timeout(15_000);

  const digestOf = async (link: McpLink, tool: string) =>
    (await mcpDefinitions(link, signal())).find(({ name }) => name === tool)?.digest ?? '';
  const open = (link: McpLink, name: string, definition: string, maxBytes = 10_000) =>
    openMcp(link, { name, definition, maxBytes }, signal());
  async function run(link: McpLink, name: string, one: Attempt, maxBytes?: number) {
    const tool = await open(link, name, await digestOf(link, name), maxBytes);
    return tool.execute(one).finally(tool.close);
  }

  test('runs its tool, says when it failed, and is not waited for beyond the deadline', async () => {
    const link = linkOf();
    expect(await run(link, 'look', attempt({ drawer: 2 }, 15_000))).toEqual({ found: 'drawer 2' });
    const failed = run(link, 'break', attempt({}, 15_000));
    await expect(failed).rejects.toMatchObject({ category: 'ExecutionError', code: 'ToolFailed', effect: 'failed' });
    const large = run(link, 'look', attempt({ drawer: 2 }, 15_000), 5);
    await expect(large).rejects.toMatchObject({ code: 'InvalidOutput' });
    await expect(run(link, 'hang', attempt({}, 1_500))).rejects.toMatchObject({ effect: 'unknown' });
  });

  test('a tool is the listed one only while its definition is', async () => {
    const link = linkOf();
    const look = await digestOf(link, 'look');
    await expect(open(link, 'gone', look)).rejects.toMatchObject({ code: 'ToolGone' });
    await expect(open(link, 'look', '0'.repeat(64))).rejects.toMatchObject({ code: 'ToolChanged' });
    if (kind !== 'HTTP') return;
    serverVersion = 2;
    await expect(open(link, 'look', look)).rejects.toMatchObject({ code: 'ToolChanged' });
    serverVersion = 1;
  });
});

describe('an MCP server over HTTP that misbehaves', () => {
  const signal = (ms: number) => AbortSignal.timeout(ms);

  test('it is connected to once for a run: looked at, and called in the same session', async () => {
    const definition = (await mcpDefinitions(overHttp('desk', `${base}/mcp`), signal(5_000)))[0]?.digest ?? '';
    methods.length = 0;
    const tool = await openMcp(
      overHttp('desk', `${base}/mcp`),
      { name: 'look', definition, maxBytes: 1_000 },
      signal(5_000),
    );
    expect(await tool.execute(attempt({ drawer: 2 }, 5_000))).toEqual({ found: 'drawer 2' });
    await tool.close();
    expect(methods).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call']);
  });

  test('a session that the server keeps is ended, and its id travels with every request of it', async () => {
    seen.length = 0;
    await mcpDefinitions(overHttp('desk', `${base}/stateful`), signal(5_000));
    const [first, ...others] = seen.filter(({ url }) => url === '/stateful');
    expect(first?.headers['mcp-session-id']).toBeUndefined();
    expect(others.every(({ headers }) => headers['mcp-session-id'] === 's-1')).toBe(true);
    expect(seen.at(-1)?.method).toBe('DELETE');
  });

  test('a 429 is said like that of an HTTP endpoint, and closes its bucket for as long (R3-012, R3-060)', async () => {
    await expect(mcpDefinitions(overHttp('desk', `${base}/busy`), signal(5_000))).rejects.toMatchObject({
      category: 'PolicyError',
      code: 'RateLimited',
      details: { retryAfterMs: 7_000, scope: 'provider', throttlingScope: 'mcp::desk' },
    });
  });

  test.each([
    ['/hang', 300],
    ['/drip', 300],
    ['/reset', 5_000],
    ['/down', 5_000],
    ['/html', 5_000],
    ['/endless', 5_000],
    ['/moved', 5_000],
    ['/no', 5_000],
  ])('%s: it says so in time, and quotes nothing', async (path, ms) => {
    const began = Date.now();
    const error: unknown = await mcpDefinitions(overHttp('desk', base + path), signal(ms)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ category: 'ExecutionError', effect: 'unknown' });
    expect(String(error)).not.toContain('hunter2');
    expect(Date.now() - began).toBeLessThan(ms + 2_000);
  });
});

test('an MCP server over stdio that ends in a call, or answers what is no answer: it says so at once, and quotes nothing', async () => {
  const definitions = new Map(
    (await mcpDefinitions(overStdio, AbortSignal.timeout(15_000))).map(({ name, digest }) => [name, digest]),
  );
  for (const name of ['quit', 'garble']) {
    const definition = definitions.get(name) ?? '';
    const tool = await openMcp(overStdio, { name, definition, maxBytes: 1_000 }, AbortSignal.timeout(15_000));
    const began = Date.now();
    const error: unknown = await tool.execute(attempt({}, 15_000)).catch((thrown: unknown) => thrown);
    await tool.close();
    expect(error).toMatchObject({ category: 'ExecutionError', effect: 'unknown' });
    expect(String(error)).not.toContain('hunter2');
    expect(Date.now() - began).toBeLessThan(10_000);
  }
});
