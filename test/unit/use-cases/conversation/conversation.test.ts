/**
 * Checks the task agent in a chat: the asked person answers once, by word or by button.
 *
 * No reply and no call happens twice.
 */
import { describe, expect, test } from 'vitest';
import { sha256Hex, uuidFrom } from '../../../../shared/domain/digest.ts';
import { DeadlineError, type IntentClassifier } from '../../../../shared/task-agent/index.ts';
import { conversationKeyOf } from '../../../../shared/use-cases/conversation/decide-task.ts';
import type { ConversationDependencies } from '../../../../shared/use-cases/conversation/handle-message.ts';
import { Chat, TEAM } from './conversation-world.ts';

const ASKED = "Are you sure you want to delete 'gym'? This cannot be undone. Reply 'yes' to confirm or 'no' to cancel.";

async function asking(): Promise<Chat> {
  const chat = new Chat();
  await chat.say('todo: gym');
  await chat.say('delete gym');
  expect(chat.texts.at(-1)).toBe(ASKED);
  expect(chat.open).toBe(1);
  return chat;
}

describe('a deletion', () => {
  test('by word: the question loses its buttons, the answer follows', async () => {
    const chat = await asking();
    await chat.say('yes');
    expect(chat.texts.slice(1)).toEqual([`${ASKED}\nYou said yes.`, "'gym' has been deleted."]);
    expect(chat.open).toBe(0);
    expect(await chat.tasks()).toEqual([]);
  });

  test('by button: the answer stands on the same card', async () => {
    const chat = await asking();
    await chat.deliver(chat.button('yes'));
    expect(chat.texts.slice(1)).toEqual(["'gym' has been deleted."]);
    expect(await chat.tasks()).toEqual([]);
    const kept = await asking();
    await kept.deliver(kept.button('no'));
    expect(kept.texts.slice(1)).toEqual(["OK, I won't delete that task."]);
    expect(await kept.tasks()).toEqual(['gym']);
  });

  test.each(['by word', 'by button'])('expired, %s: nothing is deleted', async (how) => {
    const chat = await asking();
    const button = chat.button('yes');
    await chat.clock.advance(300_001);
    await (how === 'by word' ? chat.say('yes') : chat.deliver(button));
    expect(chat.texts.at(-1)).toContain('has expired');
    expect(chat.open).toBe(0);
    expect(await chat.tasks()).toEqual(['gym']);
  });

  test('interrupted: the question is closed, and its button no longer counts', async () => {
    const chat = await asking();
    const button = chat.button('yes');
    await chat.say('show my tasks');
    expect(chat.texts).toContain(`${ASKED}\nYou went on to something else: nothing was deleted.`);
    expect(await chat.deliver(button)).toEqual({ kind: 'refused', refusal: 'already_decided' });
    expect(await chat.tasks()).toEqual(['gym']);
  });

  test.each(['yes', 'no'])(
    'answered by %j in the thread under the question, and under no other message',
    async (word) => {
      const chat = await asking();
      const [added, question] = chat.slack.shown;
      await chat.say(word, { room: 'another thread', under: { room: 'direct', ts: added?.ts } });
      expect(chat.texts.at(-1)).toContain("I'm here to help you");
      expect(chat.open).toBe(1);
      const under = { room: 'direct', ts: question?.ts };
      await chat.say(word, { room: 'thread', under, user: 'U0BOB' });
      expect(chat.open).toBe(1);
      await chat.say(word, { room: 'thread', under });
      expect(chat.texts.at(-1)).toBe(word === 'yes' ? "'gym' has been deleted." : "OK, I won't delete that task.");
      expect(chat.texts[1]).toBe(`${ASKED}\nYou said ${word}.`);
      expect(await chat.tasks()).toEqual(word === 'yes' ? [] : ['gym']);
    },
  );

  test('asked anew, only the newer question can be answered', async () => {
    const chat = await asking();
    const first = chat.button('yes');
    await chat.say('todo: swim');
    await chat.say('delete gym');
    const second = chat.button('yes');
    expect((await chat.deliver(first)).kind).toBe('refused');
    expect(await chat.tasks()).toEqual(['swim', 'gym']);
    await chat.deliver(second);
    expect(await chat.tasks()).toEqual(['swim']);
  });
});

test('the question which of several tasks is meant is remembered for its answer, also without a history (0077)', async () => {
  const chat = new Chat();
  for (const task of ['buy milk', 'call mom', `buy eggs ${'x'.repeat(600)}`]) await chat.say(`todo: ${task}`);
  await chat.say('mark buy as done');
  await chat.say('mark #2 as done');
  expect(chat.texts.at(-1)).toBe("Done! 'buy milk' has been marked as completed.");
  await chat.say('mark #2 as done');
  expect(chat.texts.at(-1)).toBe("Done! 'call mom' has been marked as completed.");
  await chat.say('delete buy');
  await chat.say('2', { room: 'another' });
  expect(chat.texts.at(-1)).toContain("I'm not sure what you'd like to do");
  await chat.clock.advance(60 * 60_000);
  await chat.say('2');
  expect(chat.texts.at(-1)).toContain("I'm not sure what you'd like to do");
});

describe('a click counts only', () => {
  test('of whoever was asked, on the card that asks, in our own app (G19)', async () => {
    const chat = await asking();
    const bob = { team: 'T0DEMO', user: 'U0BOB' };
    const clicks = [
      ['not_the_requester', { person: bob }],
      ['not_the_requester', { person: { team: 'T0OTHER', user: 'U0ALICE' } }],
      ['foreign_card', { isOwn: false }],
      ['foreign_card', { ts: '1.1' }],
      ['foreign_card', { channel: 'C0OTHER' }],
      ['already_decided', { conversation: '00000000-0000-4000-8000-000000000000' }],
    ] as const;
    for (const [refusal, over] of clicks)
      expect(await chat.deliver(chat.button('yes', over))).toEqual({ kind: 'refused', refusal });
    expect(await chat.tasks()).toEqual(['gym']);
    expect(chat.slack.whispers[0]).toEqual({
      user: 'U0BOB',
      text: 'Only the person who was asked can answer this. Nothing was changed.',
    });
    const records = await chat.gate.audit.recent('coder', 20);
    const refused = records.filter(({ entry }) => entry.type === 'click');
    expect(refused.map(({ entry }) => [entry.accepted, entry.person?.user])).toHaveLength(clicks.length);
  });

  test('once, however often it is delivered or made', async () => {
    const chat = await asking();
    const click = chat.button('yes');
    await chat.deliver(click);
    const shown = structuredClone(chat.slack.shown);
    await chat.deliver(click);
    expect(chat.slack.shown).toEqual(shown);
    expect(await chat.deliver({ ...click, id: 'again' })).toEqual({ kind: 'refused', refusal: 'already_decided' });
  });
});

describe('two at once', () => {
  test('have tasks, questions and threads of their own', async () => {
    const chat = await asking();
    await chat.say('todo: gym', { user: 'U0BOB' });
    expect((await chat.say('yes', { user: 'U0BOB' })).kind).toBe('answered');
    expect((await chat.say('yes', { room: 'a thread' })).kind).toBe('answered');
    expect([await chat.tasks(), await chat.tasks('U0BOB')]).toEqual([['gym'], ['gym']]);
    await chat.say('yes');
    expect([await chat.tasks(), await chat.tasks('U0BOB')]).toEqual([[], ['gym']]);
  });
});

describe('a message that comes', () => {
  test('twice is decided and answered once', async () => {
    const chat = new Chat();
    const message = chat.written('todo: gym');
    await chat.deliver(message);
    await chat.deliver(message);
    await Promise.all([chat.deliver(message), chat.deliver(message)]);
    expect(await chat.tasks()).toEqual(['gym']);
    expect(chat.texts).toEqual(["I've added 'gym' to your tasks."]);
  });

  test('again after a fault of the chat is answered then, and decided once', async () => {
    const chat = new Chat();
    const say = chat.slack.speaker.send;
    chat.slack.speaker.send = async () => {
      throw new Error('down');
    };
    const message = chat.written('todo: gym');
    await expect(chat.deliver(message)).rejects.toThrow('down');
    chat.slack.speaker.send = say;
    await chat.deliver(message);
    expect(await chat.tasks()).toEqual(['gym']);
    expect(chat.texts).toEqual(["I've added 'gym' to your tasks."]);
  });

  test('late, from before the question, neither answers nor ends it', async () => {
    const chat = new Chat();
    await chat.say('todo: gym');
    const late = [chat.written('yes'), chat.written('show my tasks'), chat.written('no')];
    await chat.say('delete gym');
    for (const message of late) await chat.deliver(message);
    expect(await chat.tasks()).toEqual(['gym']);
    expect(chat.open).toBe(1);
    await chat.say('yes');
    expect(await chat.tasks()).toEqual([]);
  });
});

describe('the guardrails of a tool', () => {
  const add = 'add_task: { ratePerSecond: 0.001, burst: 1, timeoutMs: 200 }';
  const limited = { more: `taskAgent: { enabled: true, agent: coder }\nguardrails: { tools: { ${add} } }` };

  test('count a message once, also when it is decided anew after a conflict of writes', async () => {
    const chat = new Chat({}, limited);
    const { claims } = chat.gate;
    const claim = claims.claim.bind(claims);
    let lost = 0;
    Object.assign(claims, {
      claim: async (...given: Parameters<typeof claim>) => (lost++ < 2 ? { kind: 'session_changed' } : claim(...given)),
    });
    await chat.say('todo: gym');
    expect([lost, chat.texts, await chat.tasks()]).toEqual([3, ["I've added 'gym' to your tasks."], ['gym']]);
    await chat.say('todo: swim');
    expect(chat.texts.at(-1)).toContain('Sorry');
  });

  test('decided anew, a call still has the deadline of the file', async () => {
    const chat = new Chat({}, limited);
    const { claims, tasks } = chat.gate;
    const claim = claims.claim.bind(claims);
    let lost = 0;
    Object.assign(claims, {
      claim: async (...given: Parameters<typeof claim>) => {
        if (lost++ > 0) return claim(...given);
        Object.assign(tasks, { list: () => new Promise(() => undefined) });
        return { kind: 'session_changed' };
      },
    });
    const saying = chat.say('todo: gym');
    await chat.clock.advance(200);
    await saying;
    expect(chat.texts).toEqual(['This is taking longer than expected. Please try again.']);
  });

  test('what ends after its time is not written', async () => {
    const late: ConversationDependencies['taskGuardrails'] = {
      run: async (_agent, _call, _key, work) => {
        await work();
        throw new DeadlineError();
      },
    };
    const chat = new Chat({ taskGuardrails: late });
    await chat.say('todo: gym');
    expect(chat.texts).toEqual(['This is taking longer than expected. Please try again.']);
    expect(await chat.tasks()).toEqual([]);
  });
});

describe('an answer that takes its time', () => {
  test('is announced within two seconds, and then stands in place of the announcement', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const classifier: IntentClassifier = () => promise;
    const chat = new Chat({ taskClassifier: classifier });
    const talking = chat.say('we are out of milk');
    await chat.clock.advance(1_999);
    expect(chat.texts).toEqual([]);
    await chat.clock.advance(1);
    expect(chat.texts).toEqual(['One moment, please…']);
    resolve({ intent_type: 'CREATE_TASK', confidence: 0.9, extracted_params: { description: 'buy milk' } });
    await talking;
    expect(chat.texts).toEqual(["I've added 'buy milk' to your tasks."]);
    expect(chat.slack.shown).toHaveLength(1);
  });
});

test('a list that is full says so, where trying again cannot help', async () => {
  const chat = new Chat();
  for (let i = 0; i < 32; i += 1) await chat.say(`todo: ${String(i).padEnd(1000, 'x')}`);
  const more = `todo: ${'y'.repeat(1000)}`;
  await chat.say(more);
  expect(chat.texts.at(-1)).toBe(
    "Sorry, I wasn't able to add the task: your list is full. Delete tasks that you no longer need.",
  );
  await chat.say('delete #1');
  await chat.say('yes');
  await chat.say(more);
  expect(chat.texts.at(-1)).toContain("I've added");
});

test('a deletion that somebody else has to approve is told so after the yes, and no question is left', async () => {
  const chat = new Chat({}, { ask: ['delete_task'] });
  await chat.say('todo: gym');
  await chat.say('delete gym');
  await chat.say('yes');
  expect(chat.texts.at(-1)).toBe(
    "Sorry, I wasn't able to delete the task: somebody else has to approve that, and I cannot ask for it here.",
  );
  expect(await chat.tasks()).toEqual(['gym']);
  await chat.say('yes');
  expect(chat.texts.at(-1)).not.toContain('approve');
});

test('a secret is neither shown again nor kept (D33, G37)', async () => {
  const chat = new Chat();
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  await chat.say(`todo: rotate ${secret}`);
  expect(await chat.tasks()).toHaveLength(1);
  const kept = [chat.texts, await chat.tasks(), await chat.gate.audit.recent('coder', 5)];
  expect(JSON.stringify(kept)).not.toContain(secret);
});

test('without a task agent nobody listens', async () => {
  const chat = new Chat({}, { more: '' });
  expect(await chat.say('todo: gym')).toEqual({ kind: 'nobody_listens' });
  expect(chat.texts).toEqual([]);
});

const rowOf = (chat: Chat) =>
  chat.gate.conversations.read(
    conversationKeyOf({
      scope: `slack/${TEAM}`,
      context: { user_id: 'U0ALICE', conversation_id: uuidFrom(sha256Hex('direct')) },
    }) ?? '',
  );

describe('what was said before (R2-002)', () => {
  const remembering = (history: number) =>
    new Chat({}, { more: `taskAgent: { enabled: true, agent: coder, channels: [approvals], history: ${history} }` });

  test('"it" is the task that was named last, where the policy file keeps messages', async () => {
    const chat = remembering(4);
    await chat.say('todo: buy milk');
    await chat.say('todo: gym');
    await chat.say('make it swimming');
    expect(chat.texts.at(-1)).toBe("Updated 'gym' to 'swimming'.");
    await chat.say('delete it');
    expect(chat.texts.at(-1)).toContain("Are you sure you want to delete 'swimming'?");
    expect(await chat.tasks()).toHaveLength(2);
  });

  test('without the setting nothing is kept but an open question with its wish, until the next message', async () => {
    const chat = new Chat();
    await chat.say('todo: buy milk');
    expect(await rowOf(chat)).toBeUndefined();
    await chat.say('make it oat milk');
    expect(chat.texts.at(-1)).toBe('Which task did you mean?');
    expect((await rowOf(chat))?.history?.map(({ content }) => content)).toEqual([
      'make it oat milk',
      'Which task did you mean?',
    ]);
    await chat.say('milk');
    expect(chat.texts.at(-1)).toBe("Updated 'buy milk' to 'oat milk'.");
    expect(await rowOf(chat)).not.toHaveProperty('history');
  });

  test('after an hour nobody means it any more', async () => {
    const chat = remembering(4);
    await chat.say('todo: buy milk');
    await chat.clock.advance(60 * 60_000);
    await chat.say('make it oat milk');
    expect(chat.texts.at(-1)).toBe('Which task did you mean?');
  });

  test('keeps the newest messages, cut, without secrets, and gives them to the classifier', async () => {
    const heard: unknown[] = [];
    const taskClassifier: IntentClassifier = async (_, history) => {
      heard.push(history.map(({ role, content }) => [role, content.length]));
      return { intent_type: 'GENERAL_CHAT', confidence: 1, extracted_params: null };
    };
    const chat = new Chat(
      { taskClassifier },
      { more: 'taskAgent: { enabled: true, agent: coder, channels: [approvals], history: 3 }' },
    );
    const secret = `AKIA${'IOSFODNN7EXAMPLF'}`;
    await chat.say(`the key is ${secret}`);
    await chat.say('x'.repeat(900));
    await chat.say('so?');
    expect(heard.map((messages) => (messages as unknown[]).length)).toEqual([0, 2, 3]);
    expect(JSON.stringify(await rowOf(chat))).not.toContain(secret);
    expect(Math.max(...(heard[2] as [string, number][]).map(([, length]) => length))).toBe(500);
  });

  test('of another conversation nothing is known', async () => {
    const chat = remembering(4);
    await chat.say('todo: buy milk', { room: 'one' });
    await chat.say('make it oat milk', { room: 'two' });
    expect(chat.texts.at(-1)).toBe('Which task did you mean?');
  });
});
