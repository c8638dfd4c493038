/** Checks that a call of an MCP program ends with its answer, whatever that is. */
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { overProgram } from '../../../../shared/adapters/targets/mcp-program.ts';
import { type McpSession, openMcpSession } from '../../../../shared/adapters/targets/mcp-session.ts';

/** Prints the lines that a call states, with its id in the place of `ID`, and answers everything else as it should. */
const SERVER = `
  const tools = [{ name: 'book', inputSchema: { type: 'object' } }];
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const long = 'x'.repeat(3e6);
    if (method === 'tools/call')
      return params.arguments.lines.forEach((one) => console.log(one.replace('ID', id).replace('LONG', long)));
    const first = { ...params, capabilities: { tools: {} }, serverInfo: { name: 'desk', version: '1' } };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? first : { tools } }));
  });
`;

function sessionOf(): Promise<McpSession> {
  const program = { command: process.execPath, args: ['-e', SERVER], env: {}, cwd: tmpdir() };
  const link = overProgram('desk', program, { now: Date.now, told: () => undefined });
  return openMcpSession(link, AbortSignal.timeout(10_000));
}

async function answerOf(...lines: string[]): Promise<unknown> {
  const session = await sessionOf();
  return session.call('book', { lines }, {}, AbortSignal.timeout(4_000)).finally(() => session.close());
}

test.each([
  ['no result', '{"jsonrpc":"2.0","id":ID,"result":null}'],
  ['neither a result nor an error', '{"jsonrpc":"2.0","id":ID}'],
  ['an error without words', '{"jsonrpc":"2.0","id":ID,"error":{"code":-1}}'],
])('%s: the call ends, and its effect is unknown', async (_, line) => {
  await expect(answerOf(line)).rejects.toMatchObject({
    effect: 'unknown',
    cause: { message: expect.stringContaining('neither a result nor an error') },
  });
});

test('a response counts that comes after lines that are no messages', async () => {
  const noise = ['starting', '{"level":"info","id":ID}', 'null', '7', '{"jsonrpc":"2.0","id":null,"result":{}}', ''];
  const result = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"booked"}]}}';
  expect(await answerOf(...noise, result)).toMatchObject({ content: [{ type: 'text', text: 'booked' }] });
});

const booked = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"booked"}]}}';

test.each([
  ['before its result', '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"LONG","id":9}]}}'],
  ['behind its result', '{"result":{"content":[{"type":"text","text":"LONG"}],"id":9},"jsonrpc":"2.0","id":ID}'],
])('an answer that is too long, with its id %s, ends its call alone: the program runs on', async (_, line) => {
  const session = await sessionOf();
  const call = (...lines: string[]) => session.call('book', { lines }, {}, AbortSignal.timeout(8_000));
  const other = call();
  await expect(call(line)).rejects.toMatchObject({
    effect: 'unknown',
    message: 'The MCP server desk gave no usable answer.',
    cause: { message: expect.stringContaining('larger than 2097152 bytes') },
  });
  expect(await call(booked)).toMatchObject({ content: [{ text: 'booked' }] });
  await session.close();
  await expect(other).rejects.toMatchObject({ effect: 'unknown' });
});

test('a message that is too long and answers nothing ends the program: its calls do not wait for ever', async () => {
  const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"LONG"},"id":ID}';
  await expect(answerOf(note, booked)).rejects.toMatchObject({ message: expect.stringContaining('ended while') });
});
