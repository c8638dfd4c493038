/**
 * Checks action choices without people: policies, rules, models and bad input (D23, D35).
 *
 * Rules are on flows, as in seed 0.
 */
import { describe, expect, test } from 'vitest';
import { choiceDigest } from '../../../../shared/domain/digest.ts';
import { ApiError, NetworkError } from '../../../../shared/ports/llm-client.ts';
import { choice, choicePolicy, choiceWorld, flow, NONE, picks, snapshot, space } from '../choice-world.ts';

describe('a policy that asks nobody', () => {
  test('chooses at once, and the decision holds the action and its digest', async () => {
    const { world } = choiceWorld();
    await world.send(choice('c1', 'first', { state: 'mine' }));
    const decision = await world.decided('c1');
    expect(decision).toMatchObject({
      outcome: 'answered',
      reasonCode: 'chosen',
      answer: flow('update_status'),
      actionDigest: choiceDigest(flow('update_status')),
      decidedBy: { type: 'policy', id: 'first:first-available' },
      calls: [],
      state: 'mine',
    });
    expect(decision.message).toContain('update_status');
    const [entry] = await world.audit('c1');
    expect(entry?.choice).toEqual({
      policy: 'first',
      stages: [{ place: 'first-available', outcome: 'chosen', flowId: 'update_status' }],
    });
  });

  test('prefers what its list prefers', async () => {
    const { world } = choiceWorld();
    await world.send(choice('c1', 'ranked'));
    expect((await world.decided('c1')).answer).toEqual(flow('cancel_order'));
  });

  test('chance is drawn from the proposal: the same one again draws the same, others differ', async () => {
    const flows = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const drawn = new Set<unknown>();
    for (let index = 0; index < 20; index += 1) {
      const { world } = choiceWorld();
      const { world: other } = choiceWorld();
      for (const each of [world, other])
        await each.send(choice(`c${index}`, 'random', { actionSpace: space(...flows) }));
      const { answer } = await world.decided(`c${index}`);
      expect((await other.decided(`c${index}`)).answer).toEqual(answer);
      drawn.add(JSON.stringify(answer));
    }
    expect(drawn.size).toBeGreaterThan(3);
  });

  test('an empty space is answered with none', async () => {
    const { world } = choiceWorld();
    await world.send(choice('c1', 'person', { actionSpace: space() }));
    expect(await world.decided('c1')).toMatchObject({
      outcome: 'answered',
      answer: null,
      actionDigest: null,
      reasonCode: 'empty_space',
    });
  });

  test('a long action is named, and its digest says which it is', async () => {
    const { world } = choiceWorld();
    const long = flow('update_status', {
      enabling_verdicts: [{ verdict_type: 'v', payload: { text: 'x'.repeat(9_000) }, producing_rule: 'r', stratum: 0 }],
    });
    await world.send(choice('c1', 'first', { actionSpace: { ...space(), actions: [long] } }));
    expect(await world.decided('c1')).toMatchObject({
      answer: { flow_id: 'update_status', persona_id: 'ops' },
      actionDigest: choiceDigest(long),
    });
  });
});

describe('bad input gets an error that names field and problem', () => {
  const twice = { ...space('a', 'b'), actions: [flow('a'), flow('b'), flow('a')] };
  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ['an undeclared policy', { policy: 'astrology' }, 'unknown_policy', /no agent policy named astrology; declared/],
    ['a name of the prototype', { policy: 'constructor' }, 'unknown_policy', /constructor/],
    [
      'two identical actions',
      { actionSpace: twice },
      'duplicate_action',
      /^actionSpace\.actions\[2\]: is identical to/,
    ],
    [
      'a verdict that is none',
      { actionSpace: { ...space('a'), current_verdicts: ['yes'] } },
      'invalid_proposal',
      /^actionSpace\.current_verdicts\[0\]/,
    ],
    [
      'an unknown reason for a block',
      { actionSpace: { ...space('a'), blocked_actions: [{ flow_id: 'x', reason: { type: 'BadMood' } }] } },
      'invalid_proposal',
      /^actionSpace\.blocked_actions\[0\]\.reason/,
    ],
    ['no snapshot', { snapshot: undefined }, 'invalid_proposal', /^snapshot/],
    ['a time that is none', { snapshot: { ...snapshot, observed_at: 'now' } }, 'invalid_proposal', /observed_at/],
    ['a flow with a blank', { actionSpace: space('pay all') }, 'invalid_proposal', /actions\[0\]\.flow_id/],
    ['a tool in the message', { toolName: 'Bash' }, 'unknown_field', /^toolName/],
  ])('%s', async (_name, more, code, message) => {
    const { world } = choiceWorld();
    await world.send(choice('c1', 'first', more));
    const decision = await world.decided('c1');
    expect(decision).toMatchObject({ outcome: 'error', reasonCode: code });
    expect(decision.message).toMatch(message);
  });

  test('an agent may name only what the policy file lets it name', async () => {
    const agents = '  coder: { owner: olga, policies: [ranked] }\n  writer: { owner: olga }';
    const { world } = choiceWorld([], choicePolicy({ agents }));
    await world.send(choice('c1', 'first'));
    expect(await world.decided('c1')).toMatchObject({ outcome: 'error', reasonCode: 'policy_not_allowed' });
    await world.send(choice('c2', 'ranked'));
    expect(await world.decided('c2')).toMatchObject({ outcome: 'answered' });
  });
});

describe('rules on flows and the emergency brake', () => {
  test('a deny rule wins over whatever chose', async () => {
    const { world } = choiceWorld([], choicePolicy({ deny: ["'Flow(update_*)'"] }));
    await world.send(choice('c1', 'first'));
    const decision = await world.decided('c1');
    expect(decision).toMatchObject({ outcome: 'denied', decidedBy: { type: 'rule' }, actionDigest: null });
    expect(decision).not.toHaveProperty('answer');
    await world.send(choice('c2', 'ranked'));
    expect(await world.decided('c2')).toMatchObject({ outcome: 'answered', answer: flow('cancel_order') });
  });

  test('a pause denies before a model is asked', async () => {
    const { world, client } = choiceWorld([]);
    const pause = { kind: 'pause', operationId: 'o1', reason: 'fire drill', scope: { agent: 'coder' }, effect: 'deny' };
    world.gate.operateAs('oncall', JSON.stringify(pause));
    await world.rest();
    await world.send(choice('c1', 'model'));
    expect(await world.decided('c1')).toMatchObject({ outcome: 'denied', reasonCode: 'paused' });
    client.assertDone();
  });
});

describe('a language model', () => {
  test('is asked in deliberate, and its tokens and cost are on the record', async () => {
    const usage = { inputTokens: 100, outputTokens: 20 };
    const { world, client } = choiceWorld([{ text: picks('release_escrow'), usage }]);
    await world.send(choice('c1', 'model'));
    expect(await world.decided('c1')).toMatchObject({
      outcome: 'answered',
      answer: flow('release_escrow'),
      decidedBy: { type: 'policy', id: 'model:llm' },
    });
    client.assertDone();
    const [entry] = await world.audit('c1');
    expect(entry?.choice).toEqual({
      policy: 'model',
      stages: [{ place: 'llm', outcome: 'chosen', flowId: 'release_escrow', usage: { ...usage, calls: 1 } }],
      usage: { ...usage, calls: 1, costMicroUsd: 600, models: ['claude/m-1'] },
      exchanges: [
        {
          place: 'llm',
          by: 'claude/m-1',
          asked: expect.stringMatching(/^\{"available_actions":\[\{"flow_id":"update_status"/),
          answered: picks('release_escrow'),
        },
      ],
    });
    await world.send(choice('c1', 'model'));
    client.assertDone();
  });

  test('is corrected twice at most', async () => {
    const { world, client } = choiceWorld(['no json', picks('invented'), picks('cancel_order')]);
    await world.send(choice('c1', 'model'));
    expect(await world.decided('c1')).toMatchObject({ answer: flow('cancel_order') });
    expect(client.calls.map(({ messages }) => messages.length)).toEqual([2, 4, 6]);
  });

  test.each<[string, Parameters<typeof choiceWorld>[0] & {}, string]>([
    ['declines', [NONE], 'declined'],
    ['has no connection', [new NetworkError('refused')], 'client_failed'],
    ['is refused by its API', [new ApiError(529, 'busy')], 'client_failed'],
    ['never gets it right', ['a', 'b', 'c'], 'attempts_exhausted'],
  ])('that %s chooses none, recorded as what it was', async (_name, replies, reasonCode) => {
    const { world, client } = choiceWorld(replies);
    await world.send(choice('c1', 'model'));
    expect(await world.decided('c1')).toMatchObject({ outcome: 'answered', answer: null, reasonCode });
    client.assertDone();
    const [entry] = await world.audit('c1');
    expect(entry?.choice?.stages).toMatchObject([{ place: 'llm', outcome: reasonCode }]);
  });

  test('that repeats a secret is kept without it', async () => {
    const key = `AKIA${'IOSFODNN7EXAMPLE'}`;
    const { world } = choiceWorld([`I found ${key}.`, picks('cancel_order')]);
    await world.send(choice('c1', 'model'));
    expect(await world.decided('c1')).toMatchObject({ answer: flow('cancel_order') });
    const kept = JSON.stringify(await world.gate.parts.journal.read(world.pid('c1')));
    expect(kept).toContain('I found');
    expect(kept).not.toContain(key);
  });

  test('reads no secret of a snapshot, and none stands in journal or record', async () => {
    const key = `AKIA${'IOSFODNN7EXAMPLE'}`;
    const { world, client } = choiceWorld([picks('cancel_order')]);
    const facts = { amount: 120, note: `use ${key}`, api_token: 'opensesame-42' };
    await world.send(choice('c1', 'model', { snapshot: { ...snapshot, facts } }));
    expect(await world.decided('c1')).toMatchObject({ answer: flow('cancel_order') });
    const sent = client.calls[0]?.messages.at(-1)?.content ?? '';
    expect(JSON.parse(sent)).toMatchObject({ snapshot: { facts: { amount: 120 } } });
    const kept = [sent, await world.gate.parts.journal.read(world.pid('c1')), await world.audit('c1')];
    for (const secret of [key, 'opensesame-42']) expect(JSON.stringify(kept)).not.toContain(secret);
  });

  test('whose words are long leaves an entry of the record under 4 KB (A15)', async () => {
    const long = 'ü"'.repeat(3_000);
    const document = choicePolicy({}, (trees) => trees.replaceAll('model: m-1', 'model: m-1, maxRetries: 9'));
    const { world } = choiceWorld([...Array(9).fill(long), picks('cancel_order')], document);
    await world.send(choice('c1', 'model', { snapshot: { ...snapshot, facts: { long } } }));
    expect(await world.decided('c1')).toMatchObject({ answer: flow('cancel_order') });
    const [entry] = await world.audit('c1');
    expect(entry?.choice?.exchanges?.at(-1)?.answered).toBe(picks('cancel_order'));
    expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThan(4_096);
  });

  test('that never answers is given up at its deadline', async () => {
    const { world } = choiceWorld([], choicePolicy(), { llm: { complete: () => new Promise(() => {}) } });
    await world.send(choice('c1', 'model'));
    expect(await world.decision('c1')).toBeUndefined();
    await world.clock.advance(10_000);
    expect(await world.decided('c1')).toMatchObject({ answer: null, reasonCode: 'client_failed' });
  });

  test('that is slow is asked on in another run: no run outlasts its function', async () => {
    const replies = ['a', 'b', 'c', 'd', 'e', picks('cancel_order')];
    let asked = 0;
    const llm = {
      complete: async () => {
        const text = replies[asked++] ?? '';
        const { promise, resolve } = Promise.withResolvers<void>();
        world.clock.after(9_000, resolve);
        await promise;
        return { text, usage: { inputTokens: 1, outputTokens: 1 } };
      },
    };
    const document = choicePolicy({}, (trees) => trees.replaceAll('model: m-1', 'model: m-1, maxRetries: 5'));
    const { world } = choiceWorld([], document, { llm });
    await world.send(choice('c1', 'model'));
    await world.clock.advance(60_000);
    expect(await world.decided('c1')).toMatchObject({ answer: flow('cancel_order') });
    expect(asked).toBe(6);
  });
});
