/** Tests MCP servers that the gateway starts, with client and server of the official SDK. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, expect, test } from 'vitest';
import { mcpDefinitions } from '../../../../shared/adapters/targets/mcp-session.ts';
import { Gateway } from '../../../../shared/cli/mcp-gateway/gateway.ts';
import { gatewayServer } from '../../../../shared/cli/mcp-gateway/mcp-server.ts';
import { linkOf, serversOf } from '../../../../shared/cli/mcp-gateway/servers.ts';
import { CountersignClient } from '../../../../shared/client/index.ts';
import { compilePolicy } from '../../../../shared/config/compile.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import type { McpProgram } from '../../../../shared/config/schema/targets.ts';
import { createTestGate } from '../../../../shared/testing/index.ts';

const SERVER = new URL('../../../contract/support/mcp-server.ts', import.meta.url).pathname;
const desk: McpProgram = { command: process.execPath, args: [SERVER, 'stdio'], env: {} };
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-programs-')));

const stops: (() => unknown)[] = [];
const [reported, written]: [string[], string[]] = [[], []];
let now = Date.now();
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  for (const list of [reported, written]) list.length = 0;
  rmSync(folder, { recursive: true, force: true });
});

const ioWith = (env: Record<string, string> = {}) => ({
  env,
  cwd: '/',
  now: () => now,
  err: (text: string) => void written.push(text),
});

/** A client of a gateway in front of these programs, whose tools are all listed and allowed. */
async function connected(programs: Readonly<Record<string, McpProgram>>, env?: Record<string, string>) {
  const io = ioWith(env);
  const listing = linkOf('desk', desk, undefined, ioWith());
  const definitions = await mcpDefinitions(listing, AbortSignal.timeout(15_000));
  const tools = Object.keys(programs).flatMap((server) =>
    definitions.map(({ name, digest }) => [
      `mcp__${server}__${name}`,
      { permissions: ['Network'], definition: name === 'break' ? '0'.repeat(64) : digest },
    ]),
  );
  const text = JSON.stringify({
    people: { olga: { team: 'T1', user: 'U1', name: 'Olga' } },
    agents: { coder: { owner: 'olga' } },
    mcpServers: programs,
    tools: Object.fromEntries(tools),
    rules: { allow: Object.keys(programs).map((server) => `mcp__${server}`) },
  });
  const gate = createTestGate({ policy: text });
  stops.push(() => gate.stop());
  const { settings } = compilePolicy(loadPolicy(text, 'countersign.yaml'));
  const gateway = new Gateway({
    client: new CountersignClient(gate.clientOptions('coder')),
    links: serversOf(settings, { names: [], tokenEnv: [], io }),
    settings,
    hold: 60_000,
    report: (error) => void reported.push(String(error)),
  });
  stops.push(() => gateway.close());
  const [here, there] = InMemoryTransport.createLinkedPair();
  await gatewayServer(gateway).connect(there);
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(here);
  stops.push(() => client.close());
  const call = async (name: string, args: object = {}) => {
    const result = await client.callTool({ name, arguments: { ...args } });
    const [content] = result.content as readonly { readonly text: string }[];
    return result.isError ? `failed: ${content?.text}` : (content?.text ?? JSON.stringify(result.structuredContent));
  };
  const pidOf = async (server = 'desk') => (JSON.parse(await call(`${server}__tell`)) as { readonly pid: number }).pid;
  return { client, gateway, call, pidOf };
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a program gets its arguments, its folder and only the variables that are listed', async () => {
  process.env['OF_THE_GATEWAY'] = 'aws-key';
  stops.push(() => delete process.env['OF_THE_GATEWAY']);
  const env = { PLAIN: 'yes', DESK_TOKEN: `Bearer $\{TOKEN}` };
  const { call } = await connected(
    { desk: { ...desk, args: [...desk.args, 'an argument'], cwd: folder, env } },
    { TOKEN: 't-1', OTHER: 'no' },
  );
  const { env: got, ...told } = JSON.parse(await call('desk__tell')) as { readonly env: Record<string, string> };
  expect(told).toMatchObject({ args: ['an argument'], cwd: folder });
  expect(got).toMatchObject({ PLAIN: 'yes', DESK_TOKEN: 'Bearer t-1', PATH: process.env['PATH'] });
  const safe = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
  expect(Object.keys(got).filter((name) => !safe.includes(name))).toEqual(['PLAIN', 'DESK_TOKEN']);
});

test('lists and runs the tools of several programs, pinned as those of a url; one process serves all calls', async () => {
  const { client, call, pidOf } = await connected({ desk, shelf: desk });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['desk__look', 'shelf__look', 'desk__tell']));
  expect(names).not.toContain('desk__break');
  expect(await call('shelf__look', { drawer: 2 })).toBe('{"found":"drawer 2"}');
  expect(await call('desk__break')).toMatch(/^failed: The MCP server desk now defines its tool break in another way/);
  const pid = await pidOf();
  expect(await pidOf()).toBe(pid);
  expect(await pidOf('shelf')).not.toBe(pid);
  // The words of a server are for the terminal, named and made plain.
  expect(written).toContain(`desk: password=hunter2\\u{001b}[31m of ${pid}\n`);
  expect(reported.join()).not.toContain('hunter2');
});

test('a server that ends in a call: the call failed, is not run again, and the next one meets a new process', async () => {
  const { call, pidOf } = await connected({ desk, shelf: desk });
  const [first, other] = [await pidOf(), await pidOf('shelf')];
  const ended = 'failed: The MCP server desk ended while the call ran: whether the call took effect is not known.';
  const starts = () => written.filter((line) => line.startsWith('desk: ')).length;
  expect(starts()).toBe(2);
  expect(await call('desk__quit')).toBe(ended);
  expect([isRunning(first), starts()]).toEqual([false, 2]);
  expect(await pidOf()).not.toBe(first);
  expect(await pidOf('shelf')).toBe(other);
});

test('a server that keeps ending is away for longer each time, and tried again after a while', async () => {
  const link = linkOf('desk', { ...desk, args: [...desk.args, 'broken'] }, undefined, ioWith());
  const tried = () => mcpDefinitions(link, AbortSignal.timeout(15_000)).catch(({ message }: Error) => message);
  const ended = 'The MCP server desk ended before it said what tools it has.';
  const away = (seconds: number) =>
    `The MCP server desk is away: it keeps ending, and is not started again before ${seconds} s are over. The call was not run.`;
  // After its first end it is started again at once.
  expect([await tried(), await tried(), await tried()]).toEqual([ended, ended, away(1)]);
  for (const seconds of [2, 4, 8, 16, 30, 30]) {
    now += 30_000;
    expect([await tried(), await tried()]).toEqual([ended, away(seconds)]);
  }
  expect(written).toHaveLength(8);
});

test('a program that cannot be started, or ends at once, takes no other along; why is for the terminal', async () => {
  const none = { ...desk, command: '/no/such/program' };
  const whole = { ...desk, command: 'npx desk' };
  const broken = { ...desk, args: [...desk.args, 'broken'] };
  const { client, call } = await connected({ desk, none, whole, broken });
  expect(new Set((await client.listTools()).tools.map(({ name }) => name.split('__')[0]))).toEqual(new Set(['desk']));
  expect(reported.sort()).toEqual([
    expect.stringContaining('desk__break is left out'),
    expect.stringContaining('The MCP server broken ended before it said what tools it has.'),
    expect.stringContaining('The MCP server none is away: its program cannot be started.'),
    expect.stringContaining('The MCP server whole is away: its program cannot be started.'),
  ]);
  const refused = await call('none__look', { drawer: 1 });
  expect(refused).toBe('failed: The MCP server none is away: its program cannot be started. The call was not run.');
  expect(written).toContain('none: spawn /no/such/program ENOENT\n');
  expect(written).toContain('whole: spawn npx desk ENOENT: arguments of a command belong into args\n');
  expect(await call('broken__look', { drawer: 1 })).toMatch(/^failed: The MCP server broken /);
  expect(await call('desk__look', { drawer: 1 })).toBe('{"found":"drawer 1"}');
});

test('the end of the gateway ends its programs, also one that ends for nobody, and starts none any more', async () => {
  const stubborn = { ...desk, args: [...desk.args, 'stubborn'] };
  const { gateway, pidOf } = await connected({ desk, stubborn });
  const pids = [await pidOf(), await pidOf('stubborn')];
  await gateway.close();
  expect(pids.map(isRunning)).toEqual([false, false]);
  const late = await gateway.call('desk__tell', {}, new AbortController().signal);
  expect(late).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('has ended') }] });
});

test.each<[string, McpProgram, string | undefined, RegExp]>([
  [
    'a variable that is not set',
    { ...desk, env: { TOKEN: `$\{NONE}` } },
    undefined,
    /mcpServers\.desk\.env\.TOKEN: .*NONE is not set/,
  ],
  ['a token for a program', desk, 't-1', /mcpServers\.desk is a program: .*not by --token-env/],
])('%s is named', (_, program, token, why) => {
  expect(() => linkOf('desk', program, token, ioWith())).toThrow(why);
});
