/** Checks that a model asked again gives no other answer, and a waiting call is followed (D55, D11). */
import { describe, expect, test } from 'vitest';
import { AUTO, allows, answer, bash, isUnsure, MODEL, many, outsideWorld } from '../outside-world.ts';
import { policyOf } from '../world.ts';

const HOUR = 60 * 60_000;
/** Unsure until it is asked for the twelfth time. */
const untilSure = (question: { readonly nonce: string; readonly count: number }) =>
  question.count < 12 ? answer(question.nonce, true, 0.5) : answer(question.nonce, false);

describe('a call that waits', () => {
  test('is followed by an identical one without a model, and both have one card', async () => {
    const { world, questions, outcome } = outsideWorld(AUTO, { model: untilSure });
    for (let index = 1; index <= 12; index++) await world.send(bash(`p${index}`, 'make x'));
    expect([await outcome('p1'), await outcome('p12')]).toEqual(['waits', 'waits']);
    expect([questions.length, world.slack.cards.size]).toEqual([1, 1]);
    const [entry] = await world.audit('p12');
    expect(entry?.classifiers?.[0]).toMatchObject({ by: 'nobody', failed: expect.stringContaining('identical call') });
    await world.click('p1', 'alice');
    expect([await outcome('p1'), await outcome('p12')]).toEqual(['approved/approved', 'approved/approved']);
    expect(questions).toHaveLength(1);
  });

  test('is followed by an identical one that no worker with a model ever sees', async () => {
    const { world, questions } = outsideWorld(AUTO, { model: isUnsure });
    await world.send(bash('p1', 'make x'));
    const deferredMessages: unknown[] = [];
    Object.assign(world.gate.parts.deferred, {
      defer: async (message: unknown) => void deferredMessages.push(message),
    });
    await world.send(bash('p2', 'make x'));
    expect([questions.length, deferredMessages]).toEqual([1, []]);
    expect((await world.row('p2')).approval.follows).toBe(world.pid('p1'));
  });

  test('that ends without people is followed no more', async () => {
    const { world, questions } = outsideWorld(AUTO, { model: isUnsure });
    await world.send(bash('p1', 'make x'));
    await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' });
    await world.send(bash('p2', 'make x'));
    const { approval } = await world.row('p2');
    expect([approval.follows, approval.status, questions.length]).toEqual([undefined, 'pending', 1]);
  });
});

describe("a model's answer", () => {
  test.each([
    ['unsure', 0.5, 'waits'],
    ['a sure no', 1, 'denied/classifier'],
  ])('of %s holds in another session, and for another spelling of blanks', async (_, confidence, expected) => {
    const { world, questions, outcome } = outsideWorld(AUTO, {
      model: ({ nonce, count }) => (count === 1 ? answer(nonce, true, confidence) : answer(nonce, false)),
    });
    await world.send(bash('p1', 'make x'));
    await world.send(bash('p2', 'make x', { sessionId: 'other' }));
    await world.send(bash('p3', 'make  x', { sessionId: 'third' }));
    expect(await Promise.all(['p1', 'p2', 'p3'].map((id) => outcome(id)))).toEqual([expected, expected, expected]);
    expect(questions).toHaveLength(1);
  });

  test('that allows is for exactly that call', async () => {
    const { world, questions, outcome } = outsideWorld(AUTO, { model: allows });
    await world.send(bash('p1', 'make x'));
    await world.send(bash('p2', 'make x'));
    expect(questions).toHaveLength(1);
    await world.send(bash('p3', 'make  x'));
    await world.send(bash('p4', 'make x', { cwd: '/workspace/src' }));
    await world.send(bash('p5', 'make x', { rules: [{ effect: 'ask', pattern: 'Other' }] }));
    await world.send(bash('p6', 'make x'), { agent: 'writer' });
    expect([questions.length, await outcome('p6', 'writer')]).toEqual([5, 'approved/classifier']);
  });

  test('holds for an hour', async () => {
    const { world, questions } = outsideWorld(AUTO, { model: allows });
    await world.send(bash('p1', 'make x'));
    await world.clock.advance(HOUR - 1);
    await world.send(bash('p2', 'make x'));
    expect(questions).toHaveLength(1);
    await world.clock.advance(1);
    await world.send(bash('p3', 'make x'));
    expect(questions).toHaveLength(2);
  });

  test('holds as long as the policy is the same', async () => {
    const { world, questions } = outsideWorld(AUTO, { model: allows });
    await world.send(bash('p1', 'make x'));
    world.gate.usePolicy(policyOf({ ...AUTO, allow: ["'Bash(git log:*)'"] }));
    await world.send(bash('p2', 'make x'));
    expect(questions).toHaveLength(2);
  });

  test('that failed is none: the next try is asked', async () => {
    const { world, questions, outcome } = outsideWorld(AUTO, {
      model: (question) => (question.count === 1 ? Promise.reject(new Error('down')) : allows(question)),
    });
    await world.send(bash('p1', 'make x'));
    await world.send(bash('p2', 'make x', { sessionId: 'other' }));
    expect([await outcome('p1'), await outcome('p2'), questions.length]).toEqual(['waits', 'approved/classifier', 2]);
  });

  test('of two at the same time is the one that stands', async () => {
    const { world, outcome } = outsideWorld(AUTO, { model: allows });
    const { modelAnswers } = world.gate.parts;
    Object.assign(modelAnswers, {
      remember: async () => ({ shouldBlock: true, confidence: 0.5, reason: 'another was first' }),
    });
    await world.send(bash('p1', 'make x'));
    expect(await outcome('p1')).toBe('waits');
  });
});

test('a call that a person refused is asked of no model, while the refusal holds', async () => {
  const { world, questions, outcome } = outsideWorld(AUTO, {
    model: (question) => (question.count === 1 ? isUnsure(question) : allows(question)),
  });
  await world.send(bash('p1', 'make x'));
  await world.click('p1', 'alice', 'reject');
  await world.send(bash('p2', 'make x'));
  expect([await outcome('p2'), questions.length]).toEqual(['denied/remembered_refusal', 1]);
});

test('of a proposal of several calls only those that are open are asked about, and a batch that waits is followed', async () => {
  const { world, questions } = outsideWorld(
    { ...AUTO, more: `${MODEL}\n  allow: ['Bash(echo:*)']` },
    { model: isUnsure },
  );
  await world.send(many('p1', ['echo hi', 'make x', 'make y']));
  await world.send(many('p2', ['echo hi', 'make x', 'make y']));
  expect([questions.length, world.slack.cards.size]).toEqual([2, 1]);
});

describe('a call that differs only in what the model is not shown, or in the spelling of its folder', () => {
  const described = (proposalId: string, description: string, cwd?: string) => ({
    ...bash(proposalId, 'make x'),
    input: { command: 'make x', description },
    ...(cwd ? { cwd } : {}),
  });

  test('is not asked about until the model is sure', async () => {
    const { world, questions, outcome } = outsideWorld(AUTO, { model: untilSure });
    const folders = [undefined, '/workspace', '/workspace/.', '/workspace/./.'];
    for (let index = 1; index <= 12; index++)
      await world.send(described(`p${index}`, `Build number ${index}`, folders[index % folders.length]));
    expect([questions.length, await outcome('p12')]).toEqual([1, 'waits']);
  });

  test('is asked about anew if the model was sure: an allow is for its own comment', async () => {
    const { world, questions } = outsideWorld(AUTO, { model: allows });
    for (const [id, comment] of [
      ['p1', 'Build'],
      ['p2', 'Build'],
      ['p3', 'Build it'],
    ] as const)
      await world.send(described(id, comment));
    expect(questions).toHaveLength(2);
  });

  test('is refused as the one that a person refused', async () => {
    const { world, outcome } = outsideWorld(AUTO, { model: untilSure });
    await world.send(described('p1', 'Build'));
    await world.click('p1', 'alice', 'reject');
    await world.send(described('p2', 'Build it'));
    expect(await outcome('p2')).toBe('denied/remembered_refusal');
  });
});
