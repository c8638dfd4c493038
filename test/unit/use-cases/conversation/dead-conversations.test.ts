/**
 * Checks messages to the task agent that were set aside (G33).
 *
 * The people of the chat are told, unless they were answered, and nothing is decided.
 */
import { expect, test } from 'vitest';
import { MAX_READING_TRIES } from '../../../../shared/config/schema/defaults.ts';
import { NOT_ANSWERED, notifyDeadLetter } from '../../../../shared/use-cases/conversation/answer-dead-letter.ts';
import { Chat } from './conversation-world.ts';

const person = { team: 'T0DEMO', user: 'U0ANN' };
const message = {
  kind: 'message',
  id: 'Ev1',
  person,
  name: 'ann',
  channel: 'C1',
  conversation: '00000000-0000-4000-8000-000000000001',
  at: 0,
  text: 'remind me',
  ts: '1.1',
} as const;

/** Messages to people, as `[channel, text]`. */
async function told(raw: string, tries: number, over: object = {}): Promise<readonly (readonly [string, string])[]> {
  const heard: (readonly [string, string])[] = [];
  const speaker = {
    send: async ({ channel }: { readonly channel: string }, { text }: { readonly text: string }) => {
      heard.push([channel, text]);
      return { channel, ts: '2.2' };
    },
    change: async () => undefined,
    whisper: async (channel: string, _user: string, text: string) => void heard.push([channel, text]),
  };
  const { gate } = new Chat({ speaker, ...over });
  await notifyDeadLetter(raw, tries, gate);
  return heard;
}

test('whoever wrote or clicked reads that it was not answered', async () => {
  expect(await told(JSON.stringify(message), 1)).toEqual([['C1', NOT_ANSWERED]]);
  const { text: _, ...rest } = message;
  const click = { ...rest, kind: 'button', choice: 'yes', asks: 'a'.repeat(64), isOwn: true };
  expect(await told(JSON.stringify(click), 1)).toEqual([['C1', NOT_ANSWERED]]);
});

test('whoever has the answer already is told nothing', async () => {
  const replies = {
    read: async () => ({ channel: 'C1', ts: '2.2', person, final: true, text: 'Done.' }),
    put: async () => undefined,
  };
  expect(await told(JSON.stringify(message), 1, { replies })).toEqual([]);
});

test('one that cannot be read is tried for a while, and ends', async () => {
  await expect(told('{', 1)).rejects.toThrow(SyntaxError);
  expect(await told('{', MAX_READING_TRIES + 1)).toEqual([]);
});
