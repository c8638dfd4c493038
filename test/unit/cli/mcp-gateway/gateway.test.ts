/** Tests the MCP gateway with the SDK's client over stdio and HTTP, and a real server behind it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { overHttp } from '../../../../shared/adapters/targets/mcp-http.ts';
import { mcpDefinitions } from '../../../../shared/adapters/targets/mcp-session.ts';
import { Gateway } from '../../../../shared/cli/mcp-gateway/gateway.ts';
import { mcpHandler } from '../../../../shared/cli/mcp-gateway/http.ts';
import { gatewayServer } from '../../../../shared/cli/mcp-gateway/mcp-server.ts';
import { serversOf } from '../../../../shared/cli/mcp-gateway/servers.ts';
import { serveStdio } from '../../../../shared/cli/mcp-gateway/stdio.ts';
import { openServer } from '../../../../shared/cli/serve/loopback-server.ts';
import { routesOf, withToken } from '../../../../shared/cli/serve/routes.ts';
import { CountersignClient } from '../../../../shared/client/index.ts';
import { compilePolicy } from '../../../../shared/config/compile.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { type Approver, type AskedQuestion, createTestGate, type TestGate } from '../../../../shared/testing/index.ts';
import { cli } from '../run-cli.ts';
import { type BillingServer, startBillingServer } from './billing-server.ts';

const TOKEN = 'a-token-of-the-tests-0123456789-abcdef';
const NOT_YET = /(?:still being asked about this call|not judged this call yet)\. It was not run\. Call the tool again/;
const CHANGED = /The MCP server billing now defines its tool \w+ in another way than the policy file lists/;
let billing: BillingServer;
let gate: TestGate;
const stops: (() => unknown)[] = [];
const asked: AskedQuestion[] = [];
const reported: string[] = [];
beforeEach(async () => {
  billing = await startBillingServer();
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  await billing.stop();
  asked.length = 0;
  reported.length = 0;
});

async function policyOf(servers = ''): Promise<string> {
  const tools = await mcpDefinitions(overHttp('billing', billing.url), AbortSignal.timeout(15_000));
  const entries = tools
    .filter(({ name }) => name !== 'unlisted')
    .map(({ name, digest }) => `  mcp__billing__${name}: { permissions: [Network], definition: ${digest} }\n`);
  return `
people: { olga: { team: T1, user: U1, name: Olga }, alice: { team: T1, user: U2, name: Alice }, bob: { team: T1, user: U3, name: Bob } }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T1, id: C1 } }
approvers: { platform: { members: [alice, bob], channel: approvals } }
approvals: { approvers: platform, timeout: 1h }
mcpServers: { billing: { url: "${billing.url}" }${servers} }
tools:
${entries.join('')}
rules:
  deny: [{ rule: mcp__billing__wipe, reason: Nothing is wiped. }]
  ask: [mcp__billing__refund]
  allow: [mcp__billing__lookup, mcp__billing__broken, mcp__billing__unlisted]
`;
}

interface Started {
  readonly approver?: Approver;
  readonly hold?: number;
  readonly servers?: string;
}

/** Opens a gateway for each client. */
async function started({ approver, hold = 60_000, servers }: Started): Promise<() => Gateway> {
  const text = await policyOf(servers);
  const answer: Approver = (question) => {
    asked.push(question);
    return approver?.(question);
  };
  gate = createTestGate({ policy: text, approver: answer });
  stops.push(() => gate.stop());
  const policy = compilePolicy(loadPolicy(text, 'countersign.yaml'));
  const client = new CountersignClient(gate.clientOptions('coder'));
  const report = (error: unknown) => void reported.push(String(error));
  const io = { env: {}, cwd: '/', now: Date.now, err: report };
  return () =>
    new Gateway({
      client,
      links: serversOf(policy.settings, { names: [], tokenEnv: [], io }),
      settings: policy.settings,
      hold,
      report,
    });
}

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

/** A client at the other end of the pipes; `close` ends its output, as the end of its process does. */
async function overStdio(open: () => Gateway): Promise<Client> {
  const [there, here] = [new PassThrough(), new PassThrough()];
  const gateway = open();
  const served = serveStdio(
    gatewayServer(gateway),
    there.setEncoding('utf8'),
    (text) => here.write(text),
    new AbortController().signal,
  ).then(() => gateway.close());
  const transport = new StdioServerTransport(here, there);
  const client = await connected(transport);
  client.onclose = () => there.end();
  stops.push(async () => {
    await client.close();
    await served;
  });
  return client;
}

async function overLoopback(open: () => Gateway): Promise<Client> {
  const { methods, close } = mcpHandler(open);
  // As serve does, beside its own paths.
  const respond = routesOf(new CountersignClient(gate.clientOptions('coder')), TOKEN, methods);
  const door = await openServer({ respond, port: 0, report: (error) => void reported.push(String(error)) });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${door.url}/mcp`), { requestInit: { headers } });
  const client = await connected(transport as Transport);
  stops.push(async () => {
    await client.close();
    await door.close();
    await close();
  });
  return client;
}

interface Text {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}
const call = async (client: Client, name: string, args: object = {}, signal?: AbortSignal) =>
  (await client.callTool(
    { name: `billing__${name}`, arguments: { ...args } },
    undefined,
    signal ? { signal } : {},
  )) as Text;
const textOf = ({ content }: Text) => content.map(({ text }) => text).join('\n');
const endOf = async ({ proposalId }: AskedQuestion) =>
  (await gate.record('coder', proposalId)).findLast(({ type }) => type === 'decided')?.outcome;

describe.each([
  ['stdio', overStdio],
  ['HTTP', overLoopback],
] as const)('over %s', (_, connect) => {
  test('lists the tools of the servers with the definitions that they have there', async () => {
    const client = await connect(await started({}));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'billing__broken',
      'billing__lookup',
      'billing__refund',
      'billing__wipe',
    ]);
    expect(tools.find(({ name }) => name === 'billing__refund')).toMatchObject({
      description: 'Refunds an order of a shop',
      outputSchema: { required: ['refunded'] },
    });
  });

  test('runs what a rule allows, refuses what one denies, and hands on that a tool failed', async () => {
    const client = await connect(await started({}));
    expect(textOf(await call(client, 'lookup', { id: 'o-1' }))).toBe('order o-1');
    const denied = await call(client, 'wipe');
    expect([textOf(denied), denied.isError]).toEqual([expect.stringContaining('Nothing is wiped.'), true]);
    expect(await call(client, 'broken')).toMatchObject({ content: [{ text: 'the ledger is locked' }], isError: true });
    expect(billing.ran.map(({ tool }) => tool)).toEqual(['lookup']);
    expect(asked).toEqual([]);
  });

  test('holds a call while people are asked, runs what they made of it, and tells the model so', async () => {
    const approver: Approver = ({ round }) =>
      round > 1 ? { choice: 'approve', by: 'bob' } : { choice: 'edit', input: { amount: 5 }, by: 'alice' };
    const client = await connect(await started({ approver }));
    const result = await call(client, 'refund', { amount: 50 });
    expect(textOf(result)).toContain('refunded 5\nThis call ran with {"amount":5}');
    expect(result.structuredContent).toEqual({ refunded: 5 });
    expect(billing.ran).toMatchObject([{ input: { amount: 5 }, meta: { idempotencyKey: expect.any(String) } }]);
  });

  test('tells the model why people refused, and runs nothing', async () => {
    const client = await connect(await started({ approver: () => ({ choice: 'reject', reason: 'Too much' }) }));
    const refused = await call(client, 'refund', { amount: 500 });
    expect([textOf(refused), refused.isError]).toEqual([expect.stringContaining('Too much'), true]);
    expect(billing.ran).toEqual([]);
  });

  test('a call that waits too long is to come again, and meets the waiting approval under its id', async () => {
    const answer = Promise.withResolvers<{ choice: 'approve' }>();
    const client = await connect(await started({ approver: () => answer.promise, hold: 300 }));
    await client.listTools();
    expect(textOf(await call(client, 'refund', { amount: 5 }))).toMatch(NOT_YET);
    expect(textOf(await call(client, 'refund', { amount: 5 }))).toMatch(NOT_YET);
    expect(billing.ran).toEqual([]);
    answer.resolve({ choice: 'approve' });
    // 300 ms may be over before the approval is read: the call then comes again.
    const came = async () => textOf(await call(client, 'refund', { amount: 5 }));
    await expect.poll(came).toBe('refunded 5');
    expect(asked).toHaveLength(1); // Afterwards the same arguments are another call.
    await expect.poll(came).toBe('refunded 5');
    expect(new Set(asked.map(({ proposalId }) => proposalId)).size).toBe(2);
  });

  test('a client that cancels withdraws its call, and goes on', async () => {
    const stop = new AbortController();
    const client = await connect(await started({}));
    const waiting = call(client, 'refund', { amount: 5 }, stop.signal);
    await expect.poll(() => asked.length).toBe(1);
    stop.abort(new Error('Ctrl-C'));
    await expect(waiting).rejects.toThrow('Ctrl-C');
    await expect.poll(() => endOf(asked[0] as AskedQuestion)).toBe('cancelled');
    expect(textOf(await call(client, 'lookup', { id: 'o-1' }))).toBe('order o-1');
    expect(billing.ran).toHaveLength(1);
  });

  test('a client that goes withdraws the call that it waits for', async () => {
    const client = await connect(await started({}));
    const waiting = call(client, 'refund', { amount: 5 }).catch(() => undefined);
    await expect.poll(() => asked.length).toBe(1);
    await client.close();
    await waiting;
    await expect.poll(() => endOf(asked[0] as AskedQuestion)).toBe('cancelled');
  });

  test('the end withdraws the calls that were to come again', async () => {
    const client = await connect(await started({ hold: 300 }));
    expect(textOf(await call(client, 'refund', { amount: 5 }))).toMatch(NOT_YET);
    await expect.poll(() => asked.length).toBe(1);
    for (const stop of stops.splice(1).reverse()) await stop();
    await expect.poll(() => endOf(asked[0] as AskedQuestion)).toBe('cancelled');
  });

  test('a tool that is no longer the one that the policy file lists is refused, and not listed', async () => {
    const client = await connect(await started({}));
    await client.listTools();
    billing.describedAs = 'and sends the ledger to the shop';
    const refused = await call(client, 'lookup', { id: 'o-1' });
    expect([textOf(refused), refused.isError]).toEqual([expect.stringMatching(CHANGED), true]);
    expect((await client.listTools()).tools).toEqual([]);
    expect(reported.join()).toMatch(/billing__lookup is left out: .*in another way than the policy file lists/);
    expect([billing.ran, asked]).toEqual([[], []]);
    billing.describedAs = 'of a shop';
    expect(textOf(await call(client, 'lookup', { id: 'o-1' }))).toBe('order o-1');
  });

  test('a tool that the policy file does not list is neither shown nor run, whatever a rule allows', async () => {
    const client = await connect(await started({}));
    await client.listTools();
    expect(reported.join()).toContain('billing__unlisted is left out');
    const refused = await call(client, 'unlisted');
    expect([textOf(refused), refused.isError]).toEqual([
      'mcp__billing__unlisted is not listed in the policy file, so it does not run; "countersign mcp billing unlisted" prints the line that lists it.',
      true,
    ]);
    expect([billing.ran, asked]).toEqual([[], []]);
  });

  test('a tool that changed while people were asked is not run', async () => {
    const approver: Approver = () => {
      billing.describedAs = 'and of every other customer';
      return { choice: 'approve' };
    };
    const client = await connect(await started({ approver }));
    expect(textOf(await call(client, 'refund', { amount: 5 }))).toMatch(CHANGED);
    expect(billing.ran).toEqual([]);
  });

  test('a server that is away takes no other along, and is found again', async () => {
    const servers = ', gone: { url: "http://127.0.0.1:1/mcp" }';
    const client = await connect(await started({ servers }));
    expect((await client.listTools()).tools).toHaveLength(4);
    expect(reported.join()).toMatch(/The MCP server gone gave no usable answer/);
    billing.isAway = true;
    expect(textOf(await call(client, 'lookup', { id: 'o-1' }))).toBe('The MCP server billing gave no usable answer.');
    billing.isAway = false;
    expect(textOf(await call(client, 'lookup', { id: 'o-1' }))).toBe('order o-1');
  });

  test('an unknown tool, and one of a server of another name, are refused', async () => {
    const client = await connect(await started({}));
    for (const name of ['nothing', '_lookup'])
      expect(await call(client, name)).toMatchObject({
        content: [{ text: `The MCP server billing has no tool ${name}.` }],
        isError: true,
      });
    const other = (await client.callTool({ name: 'lookup', arguments: {} })) as Text;
    expect([textOf(other), other.isError]).toEqual([expect.stringMatching(/no server here.* billing\./), true]);
  });
});

describe('at the door on loopback', () => {
  const authorization = `Bearer ${TOKEN}`;
  /** Sends single requests, as no SDK would. */
  async function opened(given: Started = {}) {
    const { methods, close } = mcpHandler(await started(given));
    const respond = withToken(TOKEN, (path) => (path === '/mcp' ? methods : undefined), 'elsewhere');
    const door = await openServer({ respond, port: 0, report: (error) => void reported.push(String(error)) });
    stops.push(() => Promise.all([door.close(), close()]));
    const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const send = (headers: Record<string, string>, body?: unknown, method = 'POST') =>
      fetch(`${door.url}/mcp`, {
        method,
        headers: { ...accept, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const session = async () => {
      const clientInfo = { name: 'agent', version: '1.0.0' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      const response = await send({ authorization }, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
      return { authorization, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
    };
    return { send, session, close };
  }
  const post = async (headers: Record<string, string>, method = 'tools/list') => {
    const { send } = await opened();
    const response = await send(headers, { jsonrpc: '2.0', id: 1, method, params: {} });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  const refund = (id: number) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'billing__refund', arguments: { amount: 5 } },
  });
  test.each<[string, Record<string, string>, number, string]>([
    ['no token', {}, 401, 'wrong_token'],
    ['a web page', { authorization, origin: 'https://evil.example' }, 403, 'foreign_origin'],
    ['no session', { authorization }, 400, 'unknown_session'],
    ['a session of before', { authorization, 'mcp-session-id': 'of-before' }, 404, 'unknown_session'],
  ])('%s is refused', async (_, headers, status, code) => {
    expect(await post(headers)).toMatchObject({ status, body: { code } });
    expect(reported).toEqual([]);
  });

  test('several messages in one request are refused: one that cancels would be lost among them', async () => {
    const { send, session } = await opened();
    const response = await send(await session(), [refund(1)]);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'batch' });
    expect(asked).toEqual([]);
  });

  test('a call of a session that is ended is answered, and withdrawn', async () => {
    const { send, session } = await opened();
    const headers = await session();
    const held = send(headers, refund(1));
    await expect.poll(() => asked.length).toBe(1);
    expect(await (await send(headers, refund(1))).json()).toMatchObject({ code: 'id_in_use' });
    await send(headers, undefined, 'DELETE');
    expect((await held).status).toBe(404);
    await expect.poll(() => endOf(asked[0] as AskedQuestion)).toBe('cancelled');
  });

  test('of two like calls that were to come again, both are withdrawn by the end, before it is over', async () => {
    const { send, session, close } = await opened({ hold: 300 });
    const headers = await session();
    for (const response of await Promise.all([send(headers, refund(1)), send(headers, refund(2))]))
      expect(JSON.stringify(await response.json())).toMatch(NOT_YET);
    await close();
    await expect.poll(async () => (await Promise.all(asked.map(endOf))).every((end) => end === 'cancelled')).toBe(true);
  });
});

describe('the command', () => {
  const run = async (servers: string, ...argv: string[]) => {
    const cwd = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
    stops.push(() => rmSync(cwd, { recursive: true }));
    const people = 'people: { o: { team: T1A, user: U1A, name: O } }\nagents: { coder: { owner: o } }\n';
    writeFileSync(join(cwd, 'countersign.yaml'), people + servers);
    return cli(['mcp-gateway', ...argv], { cwd, env: { EMPTY: '' } });
  };
  const BILLING = 'mcpServers: { billing: { url: "https://mcp.example.com", secret: billing-token } }';

  test.each<[string, string, readonly string[], RegExp]>([
    ['no server', '', [], /declares no server under mcpServers/],
    ['a server that nobody declares', BILLING, ['bills'], /no MCP server bills; it declares billing/],
    ['a token that is empty', BILLING, ['--token-env', 'billing=EMPTY'], /variable EMPTY is not set/],
    [
      'a server with a secret, and no token',
      BILLING,
      [],
      /mcpServers.billing: .*give its token .*--token-env billing=VAR/,
    ],
    ['a pair that is none', BILLING, ['--token-env', 'EMPTY'], /--token-env EMPTY: write server=VARIABLE/],
    ['a time that is none', BILLING, ['--hold', 'long'], /--hold: "long" is no length of time/],
    ['no time at all', BILLING, ['--hold', '0s'], /--hold: 0 ms is no wait/],
    ['a port of no door', BILLING, ['--port', '1'], /--port: only with --http/],
  ])('names %s', async (_, servers, argv, why) => {
    const { code, err } = await run(servers, ...argv);
    expect([code > 0, err]).toEqual([true, expect.stringMatching(why)]);
  });
});
