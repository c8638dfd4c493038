/** `countersign mcp` against a real MCP server of the official SDK over HTTP. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleServer } from '../../../contract/support/mcp-server.ts';
import { acts, cli } from '../run-cli.ts';

let server: Server;
let cwd: string;
let url: string;
let version = 1;
let token: string | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    token = request.headers.authorization;
    const transport = new StreamableHTTPServerTransport({});
    void sampleServer(version)
      .connect(transport as Transport)
      .then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  cwd = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
  list('');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(cwd, { recursive: true });
});

const list = (tools: string) =>
  writeFileSync(
    join(cwd, 'countersign.yaml'),
    `people: { o: { team: T1A, user: U1A, name: O } }
agents: { coder: { owner: o } }
mcpServers: { desk: { url: "${url}" } }
${tools ? `tools:\n${tools}` : ''}`,
  );
const mcp = (...argv: string[]) => cli(['mcp', ...argv], { cwd, env: { DESK_TOKEN: 't-1' } });
const states = async () => {
  const ran = await mcp('desk', '--json');
  const rows = ran.lines as { readonly tool: string; readonly state: string }[];
  return {
    code: ran.code,
    states: Object.fromEntries(rows.map(({ tool, state }) => [tool.split('__').at(-1), state])),
  };
};

test('lists what is new, and shows the line that lists it; listed, it is the same until it changes', async () => {
  expect(await states()).toEqual({ code: 0, states: { look: 'new', break: 'new', hang: 'new' } });
  const shown = await mcp('desk', 'look');
  expect(shown.out).toContain('Looks into a drawer.');
  expect(shown.out).toContain('inputSchema');
  const line = shown.out.split('\n').find((text) => text.startsWith('  mcp__desk__look:')) ?? '';
  list(`${line}\n  mcp__desk__lost: { permissions: [Network], definition: ${'a'.repeat(64)} }\n`);
  expect(await states()).toMatchObject({ code: 1, states: { look: 'listed', lost: 'gone' } });
  list(`${line}\n`);
  expect(await states()).toMatchObject({ code: 0, states: { look: 'listed' } });
  version = 2;
  expect(await states()).toMatchObject({ code: 1, states: { look: 'changed' } });
  version = 1;
});

test('as a table that a terminal shows and does not obey', async () => {
  const { out, code } = await mcp('desk', '--token-env', 'DESK_TOKEN');
  expect(code).toBe(0);
  expect(out).toMatch(/TOOL +STATE +DEFINITION/);
  expect(acts(out)).toBe(false);
  expect(token).toBe('Bearer t-1');
});

test.each([
  [['desc'], 2, '(it declares desk): give --url; did you mean desk?'],
  [['shelf'], 2, 'declares no MCP server shelf (it declares desk): give --url'],
  [['desk', 'fly'], 2, 'desk has no tool fly; it has look, break, hang'],
  [['desk', '--token-env', 'NO_SUCH'], 2, 'the environment variable NO_SUCH is not set'],
  [['desk', '--url', 'http://127.0.0.1:9/'], 1, 'desk did not say what tools it has'],
])('%j says what is wrong', async (argv, code, text) => {
  expect(await mcp(...argv)).toMatchObject({ code, out: '', err: expect.stringContaining(text) });
});
