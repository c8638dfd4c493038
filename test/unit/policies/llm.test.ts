/** Checks the policy with a model: its messages, its answers and its retries. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError, LlmPolicy, NetworkError, ParseError } from '../../../shared/policies/index.ts';
import { DEFAULT_SYSTEM_PROMPT } from '../../../shared/policies/llm-prompt.ts';
import { ScriptedClient, type ScriptedReply } from '../../../shared/testing/scripted-client.ts';
import { unicodeText } from '../../support/unicode-text.ts';
import { anAction, aSnapshot, aSpace, deepFreeze, picks, recorder } from './builders.ts';

const space = deepFreeze(aSpace(anAction('a', { description: 'first' }), 'b'));
const snapshot = deepFreeze(aSnapshot({ Order: 'paid' }, { amount: 3 }));

async function run(replies: ScriptedReply[], maxRetries?: number) {
  const client = new ScriptedClient(replies);
  const recorded = recorder();
  const policy = new LlmPolicy(client, 'm1', maxRetries === undefined ? {} : { maxRetries });
  const chosen = await policy.choose(space, snapshot, { observe: recorded.observer });
  client.assertDone();
  return { chosen, client, recorded };
}

describe('LlmPolicy', () => {
  test('new(client, model) has the seed’s defaults (R0-057), and refuses what cannot work', () => {
    expect(new LlmPolicy(new ScriptedClient([]), 'm1')).toMatchObject({ systemPrompt: '', maxRetries: 2, model: 'm1' });
    expect(() => new LlmPolicy(new ScriptedClient([]), '')).toThrow('model');
    expect(() => new LlmPolicy(new ScriptedClient([]), 'm', { maxRetries: -1 })).toThrow(/^maxRetries: -1 is not/);
  });

  test.each<[string, unknown, string | null]>([
    ['a text alone', picks('a'), 'a'],
    ['a text without its cost', { text: picks('a') }, 'a'],
    ['nothing', undefined, null],
    ['an object without a text', { content: picks('a') }, null],
  ])('a client that answers with %s chooses or chooses nothing, and never throws', async (_, answer, flow) => {
    const client = { complete: async () => answer as string };
    expect((await new LlmPolicy(client, 'm1').choose(space, snapshot))?.flow_id ?? null).toBe(flow);
  });

  test('an empty space asks no model (R0-055)', async () => {
    const client = new ScriptedClient([]);
    expect(await new LlmPolicy(client, 'm1').choose(aSpace(), snapshot)).toBeNull();
    client.assertDone();
  });

  test('asks with two messages, the second one JSON (R0-058, R0-060, R0-061, R0-062)', async () => {
    const { client } = await run([picks('a')]);
    const call = client.calls[0];
    expect(call?.model).toBe('m1');
    expect(call?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(call?.messages[0]?.content).toBe(DEFAULT_SYSTEM_PROMPT);
    expect(JSON.parse(call?.messages[1]?.content ?? '')).toEqual({
      available_actions: space.actions,
      blocked_actions: [],
      snapshot,
    });
  });

  test('the user message is JSON for any facts and any time (R0-063), whatever the order of their keys', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(unicodeText(), fc.jsonValue()), fc.string(), async (facts, observed_at) => {
        const texts: string[] = [];
        for (const given of [facts, Object.fromEntries(Object.entries(facts).reverse())]) {
          const client = new ScriptedClient([picks(null)]);
          await new LlmPolicy(client, 'm').choose(space, { facts: given, entity_states: {}, observed_at });
          texts.push(client.calls[0]?.messages[1]?.content ?? '');
        }
        expect(texts[0]).toBe(texts[1]);
        expect(JSON.parse(texts[0] ?? '').snapshot).toEqual(
          JSON.parse(JSON.stringify({ facts, entity_states: {}, observed_at })),
        );
      }),
    );
  });

  test('a custom prompt replaces the default (R0-059)', async () => {
    const client = new ScriptedClient([picks('a')]);
    await new LlmPolicy(client, 'm1', { systemPrompt: 'Be brief.' }).choose(space, snapshot);
    expect(client.calls[0]?.messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });

  test('gives the space’s action, not the model’s version of it (R0-067, R0-074)', async () => {
    const { chosen } = await run(['{"action":{"flow_id":"a","persona_id":"root","description":"rm"},"reasoning":""}']);
    expect(chosen).toBe(space.actions[0]);
  });

  test.each([
    ['json fence', `\`\`\`json\n${picks('b')}\n\`\`\``],
    ['bare fence', `\`\`\`\n${picks('b')}\`\`\``],
    ['blanks around', `\n  ${picks('b')}  \n`],
  ])('%s is taken off (R0-069)', async (_name, reply) => {
    expect((await run([reply])).chosen?.flow_id).toBe('b');
  });

  test.each([
    ['nope', 'Failed to parse JSON: '],
    ['{"action":null,"action":{"flow_id":"a"}}', 'Failed to parse JSON: '],
    ['```json\n{}', 'Failed to parse JSON: '],
    ['{"reasoning":"x"}', "Response missing 'action' field"],
    ['[]', "Response missing 'action' field"],
    ['{"action":"a"}', "Action missing 'flow_id' field or it is not a string"],
    ['{"action":{"flow_id":7}}', "Action missing 'flow_id' field or it is not a string"],
    [picks('z'), "flow_id 'z' is not in the available action space. Available: [a, b]"],
    [picks('constructor'), "flow_id 'constructor' is not in the available action space. Available: [a, b]"],
  ])('%s is answered with a correction (R0-070 … R0-076)', async (reply, problem) => {
    const { chosen, client } = await run([reply, picks('a')]);
    expect(chosen?.flow_id).toBe('a');
    const [, , assistant, user] = client.calls[1]?.messages ?? [];
    expect(assistant).toEqual({ role: 'assistant', content: reply });
    expect(user?.content).toMatch(
      /^Your response was invalid: .*\. Please try again, responding with valid JSON only\.$/s,
    );
    expect(user?.content).toContain(problem);
  });

  test('an answer that was cut chooses nothing, and is asked for again', async () => {
    const cut = { text: picks('b'), isCut: true, usage: { inputTokens: 1, outputTokens: 1 } } as const;
    const { chosen, client } = await run([cut, picks('a')]);
    expect(chosen?.flow_id).toBe('a');
    expect(client.calls[1]?.messages.at(-1)?.content).toContain('The response was cut before its end');
    expect((await run([cut], 0)).chosen).toBeNull();
  });

  test('asks maxRetries + 1 times at most, two messages longer each time (R0-077, R0-079)', async () => {
    const { chosen, client, recorded } = await run(['x', 'y', 'z']);
    expect(chosen).toBeNull();
    expect(client.calls.map(({ messages }) => messages.length)).toEqual([2, 4, 6]);
    expect(recorded.records[0]).toMatchObject({ outcome: 'attempts_exhausted', usage: { calls: 3 } });
    expect((await run(['x'], 0)).chosen).toBeNull();
  });

  test('null is an answer (R0-068)', async () => {
    const { chosen, recorded } = await run([picks(null)]);
    expect(chosen).toBeNull();
    expect(recorded.lines()).toEqual(['llm declined null']);
  });

  test.each([new NetworkError('x'), new ApiError(429, 'x'), new ParseError('x'), new Error('bug')])(
    '%s ends it at once, also in mid-conversation (R0-081, R0-082)',
    async (error) => {
      expect((await run([error])).chosen).toBeNull();
      const { chosen, recorded } = await run(['bad', error]);
      expect(chosen).toBeNull();
      expect(recorded.records[0]).toMatchObject({ outcome: 'client_failed', usage: { calls: 2 } });
    },
  );

  test('adds up what all attempts cost', async () => {
    const usage = { inputTokens: 10, outputTokens: 2 };
    const { recorded } = await run([
      { text: 'bad', usage },
      { text: picks('a'), usage },
    ]);
    expect(recorded.records[0]?.usage).toEqual({ inputTokens: 20, outputTokens: 4, calls: 2 });
  });
});
