/** Checks which Slack events are messages of people to the task agent, and of which conversation. */
import type { App } from '@slack/bolt';
import { expect, test } from 'vitest';
import { listenToTasks } from '../../../functions/slack/task-events.ts';
import { compilePolicy } from '../../../shared/config/compile.ts';
import type { ConversationMessage } from '../../../shared/ports/conversation.ts';
import { FakeClock } from '../../../shared/testing/fake-clock.ts';
import { policyOf } from '../../unit/use-cases/world.ts';

type Listener = (request: object) => Promise<void>;
const BOT = 'U0GATE';
const MESSAGE = { channel: 'D0', channel_type: 'im', user: 'U0ALICE', ts: '1.2', text: 'todo: milk' };

/** The message that one event queues, if it does. */
async function heard(event: object, name = 'message'): Promise<ConversationMessage | undefined> {
  const listeners = new Map<string, Listener>();
  const app = { event: (of: string, listener: Listener) => listeners.set(of, listener), action: () => {} };
  const queued: ConversationMessage[] = [];
  listenToTasks(app as unknown as App, {
    queue: { send: async (one) => void queued.push(one) },
    policy: compilePolicy(policyOf({ more: 'taskAgent: { enabled: true, agent: coder, channels: [approvals] }' })),
    clock: new FakeClock(0),
    deployment: 'test',
    appId: 'A0GATE',
  });
  const body = { event_id: 'Ev1', team_id: 'T0DEMO', api_app_id: 'A0GATE', authorizations: [{ user_id: BOT }] };
  await listeners.get(name)?.({ event: { ...MESSAGE, ...event }, body });
  return queued[0];
}

test.each<[string, object]>([
  ['plain', {}],
  ['with a file', { subtype: 'file_share', files: [{ id: 'F1' }] }],
  ['from a thread, sent to the channel as well', { subtype: 'thread_broadcast', thread_ts: '1.1' }],
  ['by /me', { subtype: 'me_message' }],
])('a message %s is heard', async (_, event) => expect(await heard(event)).toMatchObject({ text: 'todo: milk' }));

test.each<[string, object]>([
  ['an edit', { subtype: 'message_changed' }],
  ['a deletion', { subtype: 'message_deleted' }],
  ['a join', { subtype: 'channel_join' }],
  ['a message of a bot', { subtype: 'bot_message', bot_id: 'B1' }],
  ['a file of a bot', { subtype: 'file_share', bot_id: 'B1' }],
  ['our own answer', { user: BOT }],
  ['a reminder of Slack', { user: 'USLACKBOT' }],
  ['a message in a channel', { channel: 'C0APPROVALS', channel_type: 'channel' }],
])('%s is not', async (_, event) => expect(await heard(event)).toBeUndefined());

test('a thread of direct messages is a conversation of its own, and names the one outside', async () => {
  const outside = await heard({});
  const inside = await heard({ thread_ts: '1.1' });
  expect(outside).not.toHaveProperty('outside');
  expect(inside).toMatchObject({ thread: '1.1', outside: outside?.conversation });
  expect(inside?.conversation).not.toBe(outside?.conversation);
});
