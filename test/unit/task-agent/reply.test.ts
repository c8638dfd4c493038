/** Checks answers to the questions of the agent: they complete a wish, and places count in the list. */
import { expect, test } from 'vitest';
import { processMessage } from '../../../shared/task-agent/index.ts';
import { AgentWorld } from './agent-world.ts';

const AT = '2026-01-03T10:00:00Z';

/** A person with these tasks, oldest first, and a chat that remembers everything. */
async function chatWith(...descriptions: string[]) {
  const world = new AgentWorld();
  for (const description of descriptions) await world.store.add('u1', description);
  const message_history: { role: 'user' | 'assistant'; content: string; timestamp: string }[] = [];
  const say = async (message: string) => {
    const decision = await processMessage(
      world.context(message, { message_history: [...message_history] }),
      world.ports,
    );
    const text = decision.response_text ?? decision.clarification_question ?? '';
    message_history.push({ role: 'user', content: message, timestamp: AT });
    message_history.push({ role: 'assistant', content: text, timestamp: AT });
    return text;
  };
  return { world, say };
}

const TASKS = ['buy milk', 'call mom', 'buy eggs'];
const QUESTION = "I found multiple tasks that match 'buy':\n1. buy eggs\n2. buy milk\nWhich one did you mean?";
const DONE = "Done! 'buy milk' has been marked as completed.";

test.each(['mark #2 as done', 'mark the second one as done', '2', '#2', 'The last one.', 'buy milk', 'Milk'])(
  '%j completes the second of the question, and not of the list',
  async (answer) => {
    const { say } = await chatWith(...TASKS);
    expect(await say('mark buy as done')).toBe(QUESTION);
    expect(await say(answer)).toBe(DONE);
  },
);

test('the answer repeats the wish with its new text, and a deletion still asks', async () => {
  const { say } = await chatWith(...TASKS);
  await say('change buy to buy bread');
  expect(await say('1')).toBe("Updated 'buy eggs' to 'buy bread'.");
  await say('delete buy');
  expect(await say('second')).toContain("Are you sure you want to delete 'buy milk'?");
});

test('two tasks of one text are told apart by their place', async () => {
  const { world, say } = await chatWith('gym', 'gym');
  const [newer] = await world.store.list('u1');
  await say('mark gym as done');
  await say('1');
  const open = (await world.store.list('u1')).filter(({ completed }) => !completed);
  expect(open.map(({ id }) => id)).not.toContain(newer?.id);
  expect(open).toHaveLength(1);
});

test('a list that has changed since has no places: the tasks are shown anew', async () => {
  const { world, say } = await chatWith(...TASKS);
  await say('mark buy as done');
  await world.store.add('u1', 'buy bread');
  expect(await say('2')).toContain(
    "I couldn't find a task matching '2'. Here are your current tasks:\n1. [ ] buy bread",
  );
});

test('any other message is what it is without the question', async () => {
  for (const [message, answer] of [
    ['hi', 'Hello! How can I help you'],
    ['thanks a lot', "I'm here to help you"],
    ['bread', "I'm not sure what you'd like to do"],
    ['mark #3 as done', DONE],
    ['remind me to call Bob', "I've added 'call Bob'"],
  ] as const) {
    const { say } = await chatWith(...TASKS);
    await say('mark buy as done');
    expect(await say(message), message).toContain(answer);
  }
  const { say } = await chatWith(...TASKS);
  await say('mark buy as done');
  await say('hi');
  expect(await say('mark #2 as done')).toBe("Done! 'call mom' has been marked as completed.");
});

test.each([
  ['add task', 'buy bread', "I've added 'buy bread' to your tasks."],
  ['todo:', 'Bread', "I've added 'Bread' to your tasks."],
  ['change call mom', 'call dad', "Updated 'call mom' to 'call dad'."],
  ['mark as done', 'the call mom task', "Done! 'call mom' has been marked as completed."],
  ['done', '#3', DONE],
  ['delete', 'mom', "Are you sure you want to delete 'call mom'? This"],
])('%j, completed by %j', async (wish, reply, answer) => {
  const { say } = await chatWith(...TASKS);
  expect(await say(wish)).toMatch(/^W/);
  expect(await say(reply)).toContain(answer);
});

test('what is no word of a task names none', async () => {
  const { say } = await chatWith('call John', 'walk the dog');
  await say('done');
  expect(await say('oh')).toContain("I couldn't find a task matching 'oh'");
  await say('done');
  expect(await say('john')).toBe("Done! 'call John' has been marked as completed.");
});

test('the text of a task may hold a negation', async () => {
  const { say } = await chatWith();
  await say('add task');
  expect(await say("call Bob if he hasn't replied")).toContain("I've added");
  await say('add task');
  expect(await say('confirm the booking')).toContain("I've added");
});

test.each(['wait for the plumber', 'hold on to the receipts', 'leave the house at 8', 'stop smoking'])(
  '%j is a task, and no pause before one',
  async (reply) => {
    const { say } = await chatWith();
    await say('add task');
    expect(await say(reply)).toBe(`I've added '${reply}' to your tasks.`);
  },
);

test('a pause names no task that holds its word', async () => {
  const { say } = await chatWith('wait for the plumber');
  await say('mark as done');
  expect(await say('wait')).toContain("I'm not sure what you'd like to do.");
});

test.each([
  'thanks',
  'ok thanks',
  'no thanks',
  'No, thank you!',
  'nope, sorry',
  'yes please',
  'not now',
  'hello there',
  'nothing',
  "I don't know",
  'what do you mean?',
  'never mind',
  'oh, never mind that',
  'wait',
  'Oh wait, sorry',
  'hold on',
  'hang on a sec please',
  'just a minute',
  'Hmm, let me think about it.',
  'maybe later',
  'skip it',
  'actually I changed my mind',
  'yes',
  '👍',
  'show tasks',
])('%j is no text of a task', async (message) => {
  const { world, say } = await chatWith('gym');
  await say('add task');
  await say(message);
  expect((await world.store.list('u1')).map(({ description }) => description)).toEqual(['gym']);
});
