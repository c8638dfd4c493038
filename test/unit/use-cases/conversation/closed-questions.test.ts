/**
 * Checks that a question of the task agent that is over says so, wherever a process stopped.
 *
 * The message comes again; its decision knows which question it has ended.
 */
import { describe, expect, test } from 'vitest';
import type { ConversationMessage } from '../../../../shared/ports/conversation.ts';
import { NOT_ANSWERED, notifyDeadLetter } from '../../../../shared/use-cases/conversation/answer-dead-letter.ts';
import { Chat } from './conversation-world.ts';

const ASKED = "Are you sure you want to delete 'gym'? This cannot be undone. Reply 'yes' to confirm or 'no' to cancel.";
const DELETED = "'gym' has been deleted.";

async function asking(): Promise<Chat> {
  const chat = new Chat();
  await chat.say('todo: gym');
  await chat.say('delete gym');
  expect(chat.open).toBe(1);
  return chat;
}

/** From the call with this number on, as many fail: before they take effect, or with their answer lost. */
function failing<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
  { from = 0, count = 1, isDone = false } = {},
): (...args: Args) => Promise<Result> {
  let calls = 0;
  return async (...args) => {
    const isLost = calls >= from && calls < from + count;
    calls += 1;
    if (isLost && !isDone) throw new Error('the process ends here');
    const result = await call(...args);
    if (isLost) throw new Error('the process ends here');
    return result;
  };
}

const parts: readonly (readonly [string, (chat: Chat, isDone: boolean) => void])[] = [
  ['the answer', ({ slack: { speaker } }, isDone) => (speaker.send = failing(speaker.send, { isDone }))],
  ['the note of the answer', ({ gate: { replies } }, isDone) => (replies.put = failing(replies.put, { isDone }))],
  [
    'the end of the question',
    ({ slack: { speaker } }, isDone) => (speaker.change = failing(speaker.change, { isDone })),
  ],
  ['its note', ({ gate: { replies } }, isDone) => (replies.put = failing(replies.put, { isDone, from: 1 }))],
  [
    'the look at what was asked',
    ({ gate: { replies } }, isDone) => (replies.read = failing(replies.read, { isDone, from: 2 })),
  ],
  ['the decision', ({ gate: { claims } }, isDone) => (claims.claim = failing(claims.claim.bind(claims), { isDone }))],
];
const ends = parts.flatMap(([name, fail]) => [
  { name: `before ${name}`, fail: (chat: Chat) => fail(chat, false) },
  { name: `after ${name}`, fail: (chat: Chat) => fail(chat, true) },
]);
const wishes = [
  { said: 'yes', shown: `${ASKED}\nYou said yes.`, isKept: false },
  { said: 'no', shown: `${ASKED}\nYou said no.`, isKept: true },
  { said: 'show my tasks', shown: `${ASKED}\nYou went on to something else: nothing was deleted.`, isKept: true },
];

describe.each(wishes)('ended by $said', ({ said, shown, isKept }) => {
  test.each(ends)('in a process that ends $name, it says so once the message comes again', async ({ name, fail }) => {
    const chat = await asking();
    const message = chat.written(said);
    fail(chat);
    await expect(chat.deliver(message)).rejects.toThrow('the process ends here');
    // Past the time of the question: how it ended was decided before.
    await chat.clock.advance(400_000);
    for (let again = 0; again < 3; again += 1) await chat.deliver(message);
    expect(chat.open).toBe(0);
    const isDecided = name !== 'before the decision';
    expect(chat.texts[1]).toBe(isDecided ? shown : `${ASKED}\nNobody answered in time: nothing was deleted.`);
    expect(await chat.tasks()).toEqual(isKept || !isDecided ? ['gym'] : []);
  });
});

test('a decision that meets itself closes its question', async () => {
  const chat = await asking();
  const { claims } = chat.gate;
  const claim = claims.claim.bind(claims);
  // As a client does whose first request was heard, and its answer lost.
  claims.claim = async (...given) => {
    await claim(...given);
    return claim(...given);
  };
  await chat.say('yes');
  expect(chat.texts.slice(1)).toEqual([`${ASKED}\nYou said yes.`, DELETED]);
});

test('an answer that is refused for ever leaves no buttons', async () => {
  const chat = await asking();
  chat.slack.speaker.send = async () => {
    throw new Error('msg_too_long');
  };
  await expect(chat.say('yes')).rejects.toThrow('msg_too_long');
  expect(chat.texts.slice(1)).toEqual([`${ASKED}\nYou said yes.`]);
});

test('a message that comes again after a later one has asked anew leaves the newer question open', async () => {
  const chat = await asking();
  const { speaker } = chat.slack;
  const change = speaker.change;
  speaker.change = failing(change);
  const message = chat.written('show my tasks');
  await expect(chat.deliver(message)).rejects.toThrow();
  await chat.say('delete gym');
  await chat.deliver(message);
  expect(chat.open).toBe(1);
  expect(chat.texts[1]).toContain('You went on to something else');
  await chat.say('yes');
  expect(await chat.tasks()).toEqual([]);
});

test('decided by the release before, which kept no end, a message is answered as before', async () => {
  const chat = await asking();
  const { claims } = chat.gate;
  const claim = claims.claim.bind(claims);
  claims.claim = async (given, writes) => {
    const { ended: _, ...turn } = writes?.turn ?? {};
    return claim(given, { rows: [], turn });
  };
  const { speaker } = chat.slack;
  speaker.change = failing(speaker.change);
  const message = chat.written('yes');
  await expect(chat.deliver(message)).rejects.toThrow();
  await chat.deliver(message);
  expect(chat.texts.slice(2)).toEqual([DELETED]);
  // The next click takes the buttons away.
  expect(await chat.deliver(chat.button('yes'))).toEqual({ kind: 'refused', refusal: 'already_decided' });
  expect(chat.open).toBe(0);
});

describe('a second click', () => {
  test.each(['yes', 'no'] as const)('leaves the answer to %s where it is', async (choice) => {
    const chat = await asking();
    const [first, second] = [chat.button(choice), chat.button('yes')];
    await chat.deliver(first);
    const shown = structuredClone(chat.slack.shown);
    expect(await chat.deliver(second)).toEqual({ kind: 'refused', refusal: 'already_decided' });
    expect(chat.slack.shown).toEqual(shown);
  });

  test.each([0, 1])('of which the first was answered halfway leaves it there, too (%i)', async (from) => {
    const chat = await asking();
    const [first, second] = [chat.button('yes'), chat.button('yes')];
    const { replies } = chat.gate;
    replies.put = failing(replies.put, { from });
    await expect(chat.deliver(first)).rejects.toThrow();
    await chat.deliver(first);
    await chat.deliver(second);
    expect(chat.texts.slice(1)).toEqual([DELETED]);
  });
});

describe('a click on a question that nobody waits for', () => {
  test('which was shown twice takes away its buttons, and leaves those of the other', async () => {
    const chat = new Chat();
    await chat.say('todo: gym');
    const message = chat.written('delete gym');
    const { replies } = chat.gate;
    replies.put = failing(replies.put);
    await expect(chat.deliver(message)).rejects.toThrow();
    const copy = chat.button('yes');
    await chat.deliver(message);
    expect(chat.open).toBe(2);
    expect(await chat.deliver(copy)).toEqual({ kind: 'refused', refusal: 'foreign_card' });
    expect(chat.open).toBe(1);
    await chat.deliver(chat.button('yes'));
    expect(chat.texts.slice(1)).toEqual([ASKED, DELETED]);
  });

  test('whose text is forgotten by now takes away its buttons', async () => {
    const chat = await asking();
    const late = chat.button('yes');
    const { replies, conversations } = chat.gate;
    replies.read = async () => undefined;
    conversations.read = async () => undefined;
    expect(await chat.deliver(late)).toEqual({ kind: 'refused', refusal: 'already_decided' });
    expect(chat.texts.slice(1)).toEqual(['This question is over.']);
    expect(chat.open).toBe(0);
  });
});

describe('a dead letter', () => {
  const dead = (chat: Chat, message: ConversationMessage) => notifyDeadLetter(JSON.stringify(message), 1, chat.gate);

  test('that was decided closes its question', async () => {
    const chat = await asking();
    const { speaker } = chat.slack;
    const { send, change } = speaker;
    const message = chat.written('yes');
    speaker.send = speaker.change = async () => {
      throw new Error('down');
    };
    await expect(chat.deliver(message)).rejects.toThrow('down');
    Object.assign(speaker, { send, change });
    await dead(chat, message);
    expect(chat.texts.slice(1)).toEqual([`${ASKED}\nYou said yes.`, NOT_ANSWERED]);
    await dead(chat, message);
    expect(chat.slack.shown).toHaveLength(3);
    // Brought back by hand, it has its answer there.
    await chat.deliver(message);
    expect(chat.texts.slice(1)).toEqual([`${ASKED}\nYou said yes.`, DELETED]);
  });

  test('whose answer takes a moment for ever says so there, once', async () => {
    const chat = new Chat({ taskClassifier: () => new Promise(() => undefined) });
    const message = chat.written('we are out of milk');
    void chat.deliver(message).catch(() => undefined);
    await chat.clock.advance(2_000);
    expect(chat.texts).toEqual(['One moment, please…']);
    await dead(chat, message);
    await dead(chat, message);
    expect(chat.texts).toEqual([NOT_ANSWERED]);
  });
});

test.each(['conversations', 'endedQuestions', 'tasks'] as const)(
  'a question that was asked before somebody removed the rows of %s does nothing that was not asked, and ends',
  async (rows) => {
    const chat = await asking();
    chat.stores.state[rows].clear();
    await chat.deliver(chat.button('yes'));
    expect(chat.open).toBe(0);
    // Either it was still known, or it was not: in no case is another task touched.
    expect(await chat.tasks()).toEqual(rows === 'conversations' ? ['gym'] : []);
  },
);
