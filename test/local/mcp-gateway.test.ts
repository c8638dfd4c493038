/** Runs `countersign mcp-gateway` as an MCP client starts it, with the env file of an agent. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, expect, test } from 'vitest';
import { mcpDefinitions, overHttp } from '../../shared/adapters/targets/mcp-session.ts';
import { startDev } from '../support/dev-run.ts';
import { startBillingServer } from '../unit/cli/billing-server.ts';

const COUNTERSIGN = join(import.meta.dirname, '../../shared/cli/main.ts');

const folder = mkdtempSync(join(tmpdir(), 'countersign-gateway-'));
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a call of its client waits for the click of a person, and a client that goes withdraws its call', async () => {
  const billing = await startBillingServer();
  stops.push(billing.stop);
  const tools = await mcpDefinitions(overHttp(billing.url, 'mcp::billing'), AbortSignal.timeout(15_000));
  const digest = tools.find(({ name }) => name === 'refund')?.digest;
  writeFileSync(
    join(folder, 'countersign.yaml'),
    `people: { olga: { team: T1A, user: U1A, name: Olga }, alice: { team: T1A, user: U2A, name: Alice } }
agents: { builder: { owner: olga } }
channels: { approvals: { team: T1A, id: C1A } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
mcpServers: { billing: { url: "${billing.url}" } }
tools: { mcp__billing__refund: { permissions: [Network], effect: IdempotentWrite, definition: ${digest} } }
`,
  );
  const dev = await startDev(folder, [process.execPath, COUNTERSIGN]);
  stops.push(dev.interrupt);
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const env = { PATH: process.env['PATH'] ?? '', ...variablesOf(join(folder, '.countersign-dev', 'builder.env')) };
  const started = { command: process.execPath, args: [COUNTERSIGN, 'mcp-gateway'], cwd: folder, env };
  await client.connect(new StdioClientTransport(started));
  stops.push(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['billing__refund']);

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
