/** Runs `countersign mcp-gateway` as an MCP client starts it, with the env file of an agent. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, afterEach, expect, test } from 'vitest';
import { overHttp } from '../../../shared/adapters/targets/mcp-http.ts';
import { mcpDefinitions } from '../../../shared/adapters/targets/mcp-session.ts';
import { startDev } from '../../support/dev-run.ts';
import { startBillingServer } from '../../unit/cli/mcp-gateway/billing-server.ts';

const COUNTERSIGN = join(import.meta.dirname, '../../../shared/cli/main.ts');

const DESK = join(import.meta.dirname, '../../contract/support/mcp-server.ts');

const folder = mkdtempSync(join(tmpdir(), 'countersign-gateway-'));
const stops: (() => Promise<unknown>)[] = [];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  rmSync(join(folder, 'countersign.yaml'), { force: true });
});

async function lookOfDesk(): Promise<string> {
  const transport = async () =>
    new StdioClientTransport({ command: process.execPath, args: [DESK, 'stdio'], stderr: 'ignore' }) as Transport;
  const tools = await mcpDefinitions({ server: 'desk', connect: transport }, AbortSignal.timeout(15_000));
  return tools.find(({ name }) => name === 'look')?.digest ?? '';
}

test('a call of its client waits for the click of a person, and a client that goes withdraws its call', async () => {
  const billing = await startBillingServer();
  stops.push(billing.stop);
  const tools = await mcpDefinitions(overHttp('billing', billing.url), AbortSignal.timeout(15_000));
  const digest = tools.find(({ name }) => name === 'refund')?.digest;
  writeFileSync(
    join(folder, 'countersign.yaml'),
    `people: { olga: { team: T1A, user: U1A, name: Olga }, alice: { team: T1A, user: U2A, name: Alice } }
agents: { builder: { owner: olga } }
channels: { approvals: { team: T1A, id: C1A } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
mcpServers:
  billing: { url: "${billing.url}" }
  desk: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(DESK)}, stdio] }
rules: { allow: [mcp__desk__look] }
tools: { mcp__desk__look: { permissions: [Network], definition: ${await lookOfDesk()} }, mcp__billing__refund: { permissions: [Network], effect: IdempotentWrite, definition: ${digest} } }
`,
  );
  const dev = await startDev(folder, [process.execPath, COUNTERSIGN], process.env, ['--memory']);
  stops.push(dev.interrupt);
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const env = { PATH: process.env['PATH'] ?? '', ...variablesOf(join(folder, '.countersign-dev', 'builder.env')) };
  const started = { command: process.execPath, args: [COUNTERSIGN, 'mcp-gateway'], cwd: folder, env };
  await client.connect(new StdioClientTransport(started));
  stops.push(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['billing__refund', 'desk__look']);
  expect(await client.callTool({ name: 'desk__look', arguments: { drawer: 2 } })).toMatchObject({
    structuredContent: { found: 'drawer 2' },
  });

  const refund = (amount: number) => client.callTool({ name: 'billing__refund', arguments: { amount } });
  const waiting = refund(5);
  await dev.until(/mcp__billing__refund {2}\S+ {2}waits for people/);
  expect(billing.ran).toEqual([]);
  await dev.click('U2A', 'C1A', 'Approve');
  expect(await waiting).toMatchObject({ structuredContent: { refunded: 5 } });

  const left = refund(6).catch((error: unknown) => error);
  await dev.until(/waits for people[\s\S]*waits for people/);
  await client.close();
  await left;
  await dev.until(/builder {2}cancel {2}\S+ {2}proposed/);
  expect(billing.ran).toHaveLength(1);
});

test.each<[string, (gateway: ChildProcess) => unknown]>([
  ['SIGTERM', (gateway) => gateway.kill('SIGTERM')],
  ['the end of its input', (gateway) => gateway.stdin?.end()],
  ['SIGKILL', (gateway) => gateway.kill('SIGKILL')],
])('%s ends the gateway and the program behind it', async (_, stop) => {
  const program = `{ command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(DESK)}, stdio] }`;
  writeFileSync(
    join(folder, 'countersign.yaml'),
    `people: { olga: { team: T1A, user: U1A, name: Olga } }
agents: { builder: { owner: olga } }
mcpServers: { desk: ${program} }
`,
  );
  const region = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
  const settings = { AGENT: 'builder', DEPLOYMENT: 'local', QUEUE_URL: 'http://127.0.0.1:1/q', AUDIT_TABLE: 'audit' };
  const named = Object.entries(settings).map(([name, value]) => [`COUNTERSIGN_${name}`, value]);
  const env = { PATH: process.env['PATH'] ?? '', ...region, ...Object.fromEntries(named) };
  const gateway = spawn(process.execPath, [COUNTERSIGN, 'mcp-gateway'], { cwd: folder, env });
  stops.push(async () => gateway.kill('SIGKILL'));
  let told = '';
  gateway.stderr.on('data', (chunk) => (told += String(chunk)));
  const ended = new Promise((resolve) => gateway.once('close', resolve));
  const say = (message: object) => gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'agent', version: '1.0.0' };
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  say({ method: 'notifications/initialized' });
  say({ id: 2, method: 'tools/list' });
  await expect.poll(() => /desk: .* of (\d+)/.exec(told)?.[1], { timeout: 15_000 }).toBeDefined();
  const pid = Number(/desk: .* of (\d+)/.exec(told)?.[1]);
  expect(isRunning(pid)).toBe(true);
  stop(gateway);
  await ended;
  await expect.poll(() => isRunning(pid)).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** As a shell reads the file. */
function variablesOf(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^export (\w+)='?([^']*)'?$/.exec(line) ?? [];
      return name !== undefined && value !== undefined ? [[name, value]] : [];
    }),
  );
}
