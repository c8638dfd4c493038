/** Checks that calls to models and hooks are bounded; beyond the bounds a person decides (D55). */
import { describe, expect, test } from 'vitest';
import { AUTO, allows, bash, HOOK, isUnsure, MODEL, many, outsideWorld } from '../outside-world.ts';

const MINUTE = 60_000;
const bounded = (bounds: string) => ({ ...AUTO, more: MODEL.replace('model-key }', `model-key, ${bounds} }`) });
const commands = (from: number, count: number) => Array.from({ length: count }, (_, n) => `make ${from + n}`);

describe('calls to the model', () => {
  test.each([
    ['perMinute: 3', MINUTE],
    ['perDay: 3', 24 * 60 * MINUTE],
    ['perMinute: { perAgent: 3, inAll: 9 }', MINUTE],
  ])('%s: the fourth is a person’s, until the time is over', async (bounds, time) => {
    const { world, questions, outcome } = outsideWorld(bounded(bounds), { model: allows });
    for (const [index, command] of commands(0, 4).entries()) await world.send(bash(`p${index}`, command));
    expect([questions.length, await outcome('p2'), await outcome('p3')]).toEqual([3, 'approved/classifier', 'waits']);
    expect((await world.audit('p3'))[0]?.classifiers?.[0]).toMatchObject({
      failed: expect.stringContaining('used up'),
    });
    await world.clock.advance(time);
    await world.send(bash('later', 'make later'));
    expect([questions.length, await outcome('later')]).toEqual([4, 'approved/classifier']);
  });

  test('of one agent leave those of another, up to the bound of all', async () => {
    const { world, questions } = outsideWorld(bounded('perMinute: { perAgent: 3, inAll: 5 }'), { model: allows });
    for (const agent of ['coder', 'writer'])
      for (const command of commands(0, 4)) await world.send(bash(`${agent}-${command.slice(5)}`, command), { agent });
    expect(questions).toHaveLength(5);
  });

  test('are bounded by what they cost', async () => {
    // 1,000 tokens in and 100 out: 4.5 thousandths of a dollar a call.
    const { world, questions } = outsideWorld(bounded('price: { input: 3, output: 15 }, costPerDay: 0.01'), {
      model: allows,
    });
    for (const [index, command] of commands(0, 6).entries()) await world.send(bash(`p${index}`, command));
    expect(questions).toHaveLength(3);
  });

  test('keep what was reserved of their cost where the provider does not say what they took', async () => {
    // 27 thousandths of a dollar are reserved for a call.
    const { world, questions } = outsideWorld(bounded('price: { input: 3, output: 15 }, costPerDay: 0.1'), {
      model: (question) => ({ text: allows(question), usage: { inputTokens: 0, outputTokens: 0 } }),
    });
    for (const [index, command] of commands(0, 6).entries()) await world.send(bash(`p${index}`, command));
    expect(questions).toHaveLength(4);
  });

  test('about one proposal are a few at a time', async () => {
    const { world, questions, atOnce } = outsideWorld(AUTO, {
      model: async (question) => {
        await Promise.resolve();
        return allows(question);
      },
    });
    await world.send(many('p', commands(0, 20)));
    expect([questions.length, atOnce()]).toEqual([20, 5]);
  });

  test('begin within the time of one message, and what is left is a person’s', async () => {
    const { world, questions, outcome } = outsideWorld(AUTO, { model: () => new Promise<string>(() => undefined) });
    await world.send(many('p', commands(0, 20)));
    await world.clock.advance(50_000);
    // Five at a time for 15 s each: the fourth five would begin after 40 s.
    expect([await outcome('p'), questions.length]).toEqual(['waits', 15]);
  });

  test('are none for what has no place left to wait', async () => {
    const { world, questions, outcome } = outsideWorld(
      { ...AUTO, more: MODEL.replace('model-key }', 'model-key, perMinute: 900 }') },
      { model: isUnsure },
    );
    for (let index = 0; index < 40; index++) await world.send(many(`p${index}`, commands(index * 20, 20)));
    expect([questions.length, await outcome('p39')]).toEqual([400, 'error/too_many_waiting']);
  });

  test('that cannot be counted are not made: a person decides', async () => {
    const { world, questions, outcome } = outsideWorld(AUTO, { model: allows }, { wrap: withoutBudgets });
    await world.send(bash('p', 'make x'));
    expect([questions.length, await outcome('p')]).toEqual([0, 'waits']);
  });
});

/** The store that counts is down. */
const withoutBudgets = <Port extends object>(name: string, port: Port): Port =>
  name === 'limits.budgets'
    ? Object.assign(Object.create(port), { reserve: () => Promise.reject(new Error('down')) })
    : port;

describe('calls of a hook', () => {
  test.each([
    ['ask', 'waits'],
    ['deny', 'denied/hook'],
  ])('beyond perMinute count as its failure: %s', async (onFailure, expected) => {
    const more = HOOK.replace('review-key', `review-key, perMinute: 2, onFailure: ${onFailure}`);
    const { world, bodies, outcome } = outsideWorld({ more }, { hook: () => ({ decision: 'allow' }) });
    for (const [index, command] of commands(0, 3).entries()) await world.send(bash(`p${index}`, command));
    expect([bodies.length, await outcome('p1'), await outcome('p2')]).toEqual([2, 'approved/hook', expected]);
    await world.clock.advance(MINUTE);
    await world.send(bash('later', 'make later'));
    expect(bodies).toHaveLength(3);
  });

  test('are at most forty about one proposal: one that needs more is refused, and no hook is asked', async () => {
    const more = `hooks:\n${[1, 2, 3].map((n) => `  h${n}: { function: f${n} }`).join('\n')}`;
    const { world, bodies, outcome } = outsideWorld({ more }, { hook: () => ({ decision: 'allow' }) });
    await world.send(many('p', commands(0, 13)));
    expect([await outcome('p'), bodies.length]).toEqual(['approved/hook', 39]);
    await world.send(many('q', commands(20, 14)));
    expect([await outcome('q'), bodies.length]).toEqual(['error/too_many_hook_calls', 39]);
  });
});

test.each([
  ['costPerDay: 1', 'classifier.model.costPerDay: needs a price'],
  ['perMinute: { perAgent: 5, inAll: 4 }', 'classifier.model.perMinute: perAgent is more than inAll'],
  ['perDay: -1', 'classifier.model.perDay'],
  ['perHour: 3', 'unknown key perHour'],
])('a policy file with %s is refused', (bounds, problem) => {
  expect(() => outsideWorld(bounded(bounds), {})).toThrow(problem);
});
