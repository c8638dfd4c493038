/** Checks which question an answer in a chat belongs to, and that nothing of the wish is lost. */
import { expect, test } from 'vitest';
import { sha256Hex, uuidFrom } from '../../../../shared/domain/digest.ts';
import { conversationKeyOf } from '../../../../shared/use-cases/conversation/decide-task.ts';
import { Chat, TEAM } from './conversation-world.ts';

const row = (chat: Chat) =>
  chat.stores.conversations.read(
    conversationKeyOf({
      scope: `slack/${TEAM}`,
      context: { user_id: 'U0ALICE', conversation_id: uuidFrom(sha256Hex('direct')) },
    }) ?? '',
  );

test.each(['yes', 'no'])(
  '%j in a thread answers what the thread has asked last, not what it is under',
  async (word) => {
    const chat = new Chat();
    for (const task of ['milk', 'gym']) await chat.say(`todo: ${task}`);
    await chat.say('delete milk');
    const thread = { room: 'thread', under: { room: 'direct', ts: chat.slack.shown.at(-1)?.ts } };
    await chat.say('delete gym', thread);
    expect(chat.open).toBe(2);
    await chat.say(word, thread);
    expect(await chat.tasks()).toEqual(word === 'yes' ? ['milk'] : ['gym', 'milk']);
    expect(chat.open).toBe(1);
    await chat.say(word, thread);
    expect(chat.texts.at(-1)).toContain("I'm here to help you");
    expect(chat.open).toBe(1);
  },
);

test('a yes in a thread is none to the question that it is under, once the agent has said something else there', async () => {
  const chat = new Chat();
  await chat.say('todo: milk');
  await chat.say('delete milk');
  const thread = { room: 'thread', under: { room: 'direct', ts: chat.slack.shown.at(-1)?.ts } };
  await chat.say("don't delete it", thread);
  expect(chat.texts.at(-1)).toContain('Would you like to see your tasks, delete an existing task');
  await chat.say('yes', thread);
  expect(await chat.tasks()).toEqual(['milk']);
});

test('a number that was written before the question could be seen counts in the list of all tasks', async () => {
  const chat = new Chat();
  for (const task of ['buy milk', 'call mom', 'buy eggs']) await chat.say(`todo: ${task}`);
  const wish = chat.written('mark buy as done');
  const number = chat.written('mark #2 as done');
  const bare = chat.written('2');
  await chat.clock.advance(1000);
  await chat.deliver(wish);
  expect(chat.texts.at(-1)).toContain('Which one did you mean?');
  await chat.deliver(number);
  expect(chat.texts.at(-1)).toBe("Done! 'call mom' has been marked as completed.");
  await chat.deliver(chat.written('mark buy as done'));
  await chat.deliver(bare);
  expect(chat.texts.at(-1)).toContain("I'm not sure what you'd like to do");
});

test('the wish is kept whole for its answer, and afterwards no longer than other messages', async () => {
  const chat = new Chat({}, { more: 'taskAgent: { enabled: true, agent: coder, history: 20 }' });
  for (const task of ['buy milk', `buy eggs ${'x'.repeat(600)}`]) await chat.say(`todo: ${task}`);
  const text = `buy ${'much '.repeat(150)}bread`;
  await chat.say(`change buy to ${text}`);
  expect(chat.texts.at(-1)).toContain('Which one did you mean?');
  await chat.say('2');
  expect(await chat.tasks()).toContain(text);
  for (const { content } of (await row(chat))?.history ?? []) expect(content.length).toBeLessThanOrEqual(500);
});
