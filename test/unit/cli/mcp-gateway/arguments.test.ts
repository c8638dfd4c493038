/** Checks what the gateway does with arguments that do not fit, and with a tool that is busy. */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mcpDefinitions } from '../../../../shared/adapters/targets/mcp-session.ts';
import { Gateway } from '../../../../shared/cli/mcp-gateway/gateway.ts';
import { CountersignClient } from '../../../../shared/client/index.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { type Approver, createTestGate, type TestGate } from '../../../../shared/testing/index.ts';

let gate: TestGate | undefined;
afterEach(() => gate?.stop());

const BOOKING = {
  type: 'object' as const,
  properties: {
    day: { type: 'string', pattern: '^\\d{4}-' },
    guests: { type: 'array', items: { $ref: '#/$defs/guest' } },
  },
  required: ['day'],
  additionalProperties: false,
  $defs: { guest: { type: 'object', properties: { age: { type: 'integer', minimum: 0 } } } },
};
let schema: object;
let answering: Promise<unknown>;
const ran: unknown[] = [];
beforeEach(() => {
  schema = BOOKING;
  answering = Promise.resolve();
  ran.length = 0;
});

async function connect(): Promise<Transport> {
  const server = new Server({ name: 'desk', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [{ name: 'book', inputSchema: schema as typeof BOOKING }],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    ran.push(params.arguments);
    await answering;
    return { content: [{ type: 'text', text: 'booked' }] };
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  return here;
}

async function opened({ approver, hold = 5_000 }: { readonly approver?: Approver; readonly hold?: number } = {}) {
  const link = { server: 'desk', connect };
  const [tool] = await mcpDefinitions(link, AbortSignal.timeout(5_000));
  const text = `
people: { olga: { team: T1, user: U1, name: Olga }, alice: { team: T1, user: U2, name: Alice }, bob: { team: T1, user: U3, name: Bob } }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T1, id: C1 } }
approvers: { platform: { members: [alice, bob], channel: approvals } }
approvals: { approvers: platform, timeout: 1h }
mcpServers: { desk: { url: https://desk.example/mcp } }
tools: { mcp__desk__book: { permissions: [Network], definition: ${tool?.digest} } }
rules: { ask: [mcp__desk__book] }
`;
  const asked: unknown[] = [];
  gate = createTestGate({
    policy: text,
    approver: (question) => {
      asked.push(question);
      return (approver ?? (() => ({ choice: 'approve' as const })))(question);
    },
  });
  const client = new CountersignClient(gate.clientOptions('coder'));
  const settings = loadPolicy(text, 'countersign.yaml').policy;
  const gateway = new Gateway({ client, links: [link], settings, hold, report: () => undefined });
  const book = async (input: Record<string, unknown>) => {
    const { content = [], isError = false } = await gateway.call('desk__book', input, new AbortController().signal);
    return { text: (content as { text: string }[]).map(({ text: words }) => words).join('\n'), isError };
  };
  return { book, asked, close: () => gateway.close() };
}

test.each([
  ['is missing', {}, 'day: is missing'],
  ['has another form', { day: 'tomorrow' }, 'day: must match pattern'],
  ['is unknown', { day: '2026-11-28', dya: 1 }, 'dya: is not an argument of this tool'],
  ['is wrong within a list', { day: '2026-11-28', guests: [{ age: 3 }, { age: -1 }] }, 'guests.1.age: must be >= 0'],
])('nobody is asked about an argument that %s, and the model reads its name', async (_, input, words) => {
  const { book, asked, close } = await opened();
  const { text, isError } = await book(input);
  expect([text, isError]).toEqual([expect.stringContaining(words), true]);
  expect(text).toMatch(/^The tool was not run. Call it again with arguments that fit its schema/);
  expect([asked, ran]).toEqual([[], []]);
  expect(await book({ day: '2026-11-28' })).toEqual({ text: 'booked', isError: false });
  await close();
});

test.each([
  ['an older dialect', { ...BOOKING, $schema: 'http://json-schema.org/draft-07/schema#' }, false],
  ['a dialect of its own', { ...BOOKING, $schema: 'https://desk.example/schema' }, true],
  ['references to elsewhere', { ...BOOKING, properties: { day: { $ref: 'https://desk.example/day' } } }, true],
  [
    'a keyword and a format of its own',
    { type: 'object', properties: { day: { format: 'desk-day', 'x-desk': 1 } } },
    true,
  ],
  ['an answer for later', { ...BOOKING, $async: true }, true],
])('a schema with %s is left to the server where it cannot be read', async (_, stated, runs) => {
  schema = stated;
  const { book, close } = await opened();
  expect((await book({ day: 5 })).isError).toBe(!runs);
  expect(ran).toEqual(runs ? [{ day: 5 }] : []);
  await close();
});

test.each([
  ['a pattern that takes hours', { properties: { day: { pattern: '^(a+)+$' } } }],
  ['a circle of references', { allOf: [{ $ref: '#' }] }],
])('a schema with %s holds up no other server', async (_, stated) => {
  schema = { type: 'object', ...stated };
  const { book, asked, close } = await opened();
  const { text, isError } = await book({ day: `${'a'.repeat(60)}!` });
  expect([text, isError]).toEqual([expect.stringContaining('cannot be checked by the schema of the tool'), true]);
  expect([asked, ran]).toEqual([[], []]);
  await close();
});

test('an argument may be called like a function that every object has', async () => {
  schema = {
    ...BOOKING,
    properties: { ...BOOKING.properties, toString: { type: 'string' } },
    required: ['constructor'],
  };
  schema = { ...schema, additionalProperties: true };
  const { book, close } = await opened();
  expect((await book({ day: '2026-11-28' })).text).toContain('constructor: is missing');
  expect(await book({ day: '2026-11-28', constructor: 'olga' })).toEqual({ text: 'booked', isError: false });
  await close();
});

test('arguments that a person changed are checked before they run', async () => {
  const approver: Approver = ({ round }) =>
    round > 1 ? { choice: 'approve', by: 'bob' } : { choice: 'edit', input: { day: 'soon' }, by: 'alice' };
  const { book, close } = await opened({ approver });
  const { text, isError } = await book({ day: '2026-11-28' });
  expect([text, isError]).toEqual([
    expect.stringMatching(/were put in place of the proposed ones.*day: must match/),
    true,
  ]);
  expect(ran).toEqual([]);
  await close();
});

test('a busy tool holds a client no longer than people would, and each call runs once', async () => {
  const release = Promise.withResolvers<void>();
  answering = release.promise;
  const { book, asked, close } = await opened({ hold: 900 });
  const first = book({ day: '2026-11-01' });
  await expect.poll(() => ran.length).toBe(1);
  const [second] = await Promise.all([book({ day: '2026-11-02' })]);
  expect(second.text).toMatch(/^This call is approved, and waits for other calls of its tool. It was not run. Call/);
  release.resolve();
  await first;
  await expect.poll(async () => (await book({ day: '2026-11-02' })).text).toBe('booked');
  expect([asked.length, ran]).toEqual([2, [{ day: '2026-11-01' }, { day: '2026-11-02' }]]);
  await close();
});
