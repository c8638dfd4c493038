/** Checks that the words of a failing call reach the model, and their cause the terminal. */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mcpDefinitions } from '../../../../shared/adapters/targets/mcp-session.ts';
import { Gateway } from '../../../../shared/cli/mcp-gateway/gateway.ts';
import { reportTo } from '../../../../shared/cli/serve/run-server.ts';
import { CountersignClient } from '../../../../shared/client/index.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { createTestGate, type TestGate } from '../../../../shared/testing/index.ts';

let gate: TestGate | undefined;
afterEach(() => gate?.stop());

const calls: unknown[] = [];
const WORDS = 'day: write it as 2026-11-28';
let words = WORDS;
beforeEach(() => {
  words = WORDS;
});
async function connect(): Promise<Transport> {
  const server = new Server({ name: 'desk', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [{ name: 'book', inputSchema: { type: 'object' as const } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    calls.push(params.arguments);
    throw new McpError(ErrorCode.InvalidParams, words);
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  return here;
}

async function opened(): Promise<{ readonly gateway: Gateway; readonly terminal: string[] }> {
  const link = { server: 'desk', connect };
  const [tool] = await mcpDefinitions(link, AbortSignal.timeout(5_000));
  const text = `
people: { olga: { team: T1, user: U1, name: Olga } }
agents: { coder: { owner: olga } }
mcpServers: { desk: { url: https://desk.example/mcp } }
tools: { mcp__desk__book: { permissions: [Network], definition: ${tool?.digest} } }
rules: { allow: [mcp__desk__book] }
`;
  gate = createTestGate({ policy: text });
  const client = new CountersignClient(gate.clientOptions('coder'));
  const terminal: string[] = [];
  const report = reportTo({ err: (line) => void terminal.push(line) });
  const settings = loadPolicy(text, 'countersign.yaml').policy;
  return { gateway: new Gateway({ client, links: [link], settings, hold: '5s', report }), terminal };
}

const textOf = ({ content = [] }: { readonly content?: readonly object[] }) => (content as { text: string }[])[0]?.text;

test('the error of a server tells the model what to mend', async () => {
  const { gateway, terminal } = await opened();
  const result = await gateway.call('desk__book', { day: 'tomorrow' }, new AbortController().signal);
  expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('day: write it as 2026-11-28')]);
  expect(terminal.join('')).toContain('day: write it as 2026-11-28');
  await gateway.close();
});

test('a long error of a server is cut, between characters, for the model and for the terminal', async () => {
  words = `.${'\u{1f600}'.repeat(100_000)}`;
  const { gateway, terminal } = await opened();
  const text = textOf(await gateway.call('desk__book', {}, new AbortController().signal)) ?? '';
  expect([text.isWellFormed(), text.length < 3_000, text.includes('\u{1f600}')]).toEqual([true, true, true]);
  expect([terminal.length, terminal.join('').length < 3_000]).toEqual([1, true]);
  await gateway.close();
});

test('arguments that no message holds are named, and are no gate that is away', async () => {
  calls.length = 0;
  const { gateway, terminal } = await opened();
  for (const [input, field] of [
    [{ day: '\ud83d' }, 'input.day: holds half'],
    [{ day: 2 ** 60 }, 'input.day: is a number'],
  ] as const)
    expect(textOf(await gateway.call('desk__book', input, new AbortController().signal))).toContain(field);
  expect([calls, terminal]).toEqual([[], []]);
  await gateway.close();
});

test('the cause of a failure stands in the terminal once', () => {
  const lines: string[] = [];
  const report = reportTo({ err: (line) => void lines.push(line) });
  const cause = new Error('401 Unauthorized');
  report(new Error('The MCP server desk gave no usable answer.', { cause }));
  report(new Error('It failed: 401 Unauthorized', { cause }));
  report('gone');
  expect(lines).toEqual([
    'countersign: The MCP server desk gave no usable answer. (401 Unauthorized)\n',
    'countersign: It failed: 401 Unauthorized\n',
    'countersign: gone\n',
  ]);
});
