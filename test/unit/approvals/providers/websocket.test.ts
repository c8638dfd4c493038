/**
 * Checks that the WebSocket provider answers nobody without the token (R4-152).
 *
 * The address is open to every program of the machine.
 */
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { WebSocketHumanLoopProvider } from '../../../../shared/approvals/providers/websocket.ts';
import { InvalidSettingError } from '../../../../shared/domain/errors.ts';

const question = { kind: 'approval', prompt: 'May it?', toolName: 'Bash', args: {}, requestId: 'r1' } as const;
const approve = JSON.stringify({ request_id: 'r1', decision: 'approved' });
const sockets: WebSocket[] = [];
let provider: WebSocketHumanLoopProvider | undefined;
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await provider?.close();
});

async function listening(token?: string) {
  const made = await WebSocketHumanLoopProvider.listen('127.0.0.1:0', {
    timeout: '2s',
    ...(token ? { token } : {}),
  });
  provider = made;
  const connect = async (first?: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${made.port}`);
    sockets.push(socket);
    await once(socket, 'open');
    if (first !== undefined) socket.send(first);
    return socket;
  };
  return { made, connect };
}

test.each([
  ['one of its own making', undefined],
  ['the one that was given', 'a-token-of-ours'],
])('demands %s, and hears who says it', async (_, token) => {
  const { made, connect } = await listening(token);
  expect(made.token).toBe(token ?? made.token);
  expect(made.token.length).toBeGreaterThan(8);
  const socket = await connect(JSON.stringify({ token: made.token }));
  socket.on('message', () => socket.send(approve));
  await expect.poll(() => made.clients).toBe(1);
  expect(await made.request(question)).toEqual({ kind: 'Approved' });
});

test.each<[string, string | undefined]>([
  ['says nothing', undefined],
  ['answers at once', approve],
  ['says another token', '{"token":"guess"}'],
  ['says an empty token', '{"token":""}'],
  ['says no text', '{"token":null}'],
])('does not hear a client that %s', async (_, first) => {
  const { made, connect } = await listening();
  const socket = await connect(first);
  if (first !== undefined) expect((await once(socket, 'close'))[0]).toBe(4401);
  expect(made.clients).toBe(0);
  await expect(made.request(question)).rejects.toMatchObject({ code: 'no_client' });
});

test('two listeners have two tokens', async () => {
  const { made } = await listening();
  const other = await WebSocketHumanLoopProvider.listen('127.0.0.1:0');
  expect(other.token).not.toBe(made.token);
  await other.close();
});

/** A client that has sent the token, and the questions that it receives. */
async function client() {
  const { made, connect } = await listening();
  const socket = await connect(JSON.stringify({ token: made.token }));
  const asked: { request_id: string }[] = [];
  socket.on('message', (data) => asked.push(JSON.parse(String(data)) as { request_id: string }));
  await expect.poll(() => made.clients).toBe(1);
  const say = (answer: unknown) => socket.send(typeof answer === 'string' ? answer : JSON.stringify(answer));
  return { made, socket, asked, say };
}

test('R4-152: a question is pushed with kind, request_id, prompt, tool_name and args, and nothing else', async () => {
  const { made, asked, say } = await client();
  const answered = made.request(question);
  await expect
    .poll(() => asked)
    .toEqual([{ kind: 'approval', request_id: 'r1', prompt: 'May it?', tool_name: 'Bash', args: {} }]);
  say({ request_id: 'r1', decision: 'rejected', reason: 'Not now.' });
  expect(await answered).toEqual({ kind: 'Rejected', reason: 'Not now.' });
});

test('R4-152: answers go to the question that they name; what answers none is not heard', async () => {
  const { made, asked, say } = await client();
  const first = made.request(question);
  const second = made.request({ ...question, requestId: 'r2' });
  const third = made.request({ kind: 'input', requestId: 'r3', prompt: 'Which host?' });
  await expect.poll(() => asked.length).toBe(3);
  await expect(made.request(question)).rejects.toMatchObject({ code: 'duplicate_request' });
  for (const noise of [
    ...['no JSON', '[]', '{}', '{"decision":"approved"}', '{"request_id":"r9","decision":"approved"}'],
    ...['{"request_id":"r1","decision":"maybe"}', '{"request_id":"r1","request_id":"r1","decision":"approved"}'],
    ...['{"request_id":"r1"}', '{"request_id":1,"decision":"approved"}', '{"request_id":"r1","text":"yes"}'],
  ])
    say(noise);
  say({ request_id: 'r3', text: 'db-1' });
  say({ request_id: 'r2', decision: 'approved' });
  say({ request_id: 'r1', decision: 'timeout' });
  say({ request_id: 'r1', decision: 'approved' });
  expect(await Promise.all([first, second, third])).toEqual([
    { kind: 'Timeout' },
    { kind: 'Approved' },
    { kind: 'Text', text: 'db-1' },
  ]);
});

test('R4-155: whoever waits when it is closed is answered with a rejection', async () => {
  const { made, asked } = await client();
  const answered = made.request(question);
  await expect.poll(() => asked.length).toBe(1);
  await made.close();
  expect(await answered).toMatchObject({ kind: 'Rejected' });
});

test.each([
  '9000',
  '',
  ':9000',
  '127.0.0.1:',
  '127.0.0.1:x',
  '127.0.0.1:70000',
  '127.0.0.1:-1',
  '127.0.0.1:1.5',
  '127.0.0.1:0x9',
  '127.0.0.1: 0',
])('an address is host:port: %j is not', (address) =>
  expect(WebSocketHumanLoopProvider.listen(address)).rejects.toThrow(InvalidSettingError),
);

test.each([
  ['0.0.0.0:0', {}],
  ['192.0.2.1:0', {}],
  ['127.0.0.1:0', { token: '' }],
])('an address that others can reach, %s, needs a token: not %j', (address, options) =>
  expect(WebSocketHumanLoopProvider.listen(address, options)).rejects.toMatchObject({ code: 'token_missing' }),
);

test('a page of another origin is not let in', async () => {
  const { made } = await listening();
  const socket = new WebSocket(`ws://127.0.0.1:${made.port}`, { origin: 'https://attacker.example' });
  sockets.push(socket);
  expect(String((await once(socket, 'error'))[0])).toContain('401');
});
