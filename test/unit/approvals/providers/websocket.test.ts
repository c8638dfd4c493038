/** The WebSocket provider answers nobody who has not said the token (R4-152): the address is open to every program of the machine. */
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { WebSocketHumanLoopProvider } from '../../../../shared/approvals/providers/websocket.ts';

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
    timeoutMs: 2_000,
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
