/** Checks a model as classifier: it is asked only where the patterns find nothing. */
import { describe, expect, test } from 'vitest';
import { timerDeadline } from '../../../shared/task-agent/decisions/deadline.ts';
import { modelClassifier } from '../../../shared/task-agent/index.ts';
import { ScriptedClient } from '../../../shared/testing/scripted-client.ts';
import { AgentWorld } from './agent-world.ts';

const saying = (answer: unknown) => {
  const client = new ScriptedClient([typeof answer === 'string' ? answer : JSON.stringify(answer)]);
  return { client, classifier: modelClassifier({ client, model: 'm' }) };
};
const CREATE = { intent_type: 'CREATE_TASK', confidence: 0.95, extracted_params: { description: 'buy milk' } };

describe('a model as classifier', () => {
  test('is asked where the patterns find nothing, with the message as data', async () => {
    const { client, classifier } = saying(CREATE);
    const decision = await new AgentWorld().say('we are out of "milk" again', { classifier });
    expect(decision.response_text).toBe("I've added 'buy milk' to your tasks.");
    expect(client.calls[0]?.messages.at(-1)?.content).toBe('{"message":"we are out of \\"milk\\" again"}');
  });

  test('is shown the newest earlier messages, so that it knows what "it" is', async () => {
    const { client, classifier } = saying(CREATE);
    const at = '2026-01-03T10:00:00Z';
    const history = Array.from({ length: 8 }, (_, n) => ({
      role: n % 2 ? ('assistant' as const) : ('user' as const),
      content: `${n}${'x'.repeat(600)}`,
      timestamp: at,
    }));
    await classifier('oat milk please', history);
    const shown = JSON.parse(client.calls[0]?.messages.at(-1)?.content ?? '') as { earlier: { content: string }[] };
    expect(shown.earlier.map(({ content }) => [content[0], content.length])).toEqual(
      [2, 3, 4, 5, 6, 7].map((n) => [String(n), 500]),
    );
    expect(shown).toMatchObject({ message: 'oat milk please' });
  });

  test('may answer with a text alone; an answer without one, or one that was cut, leaves it to the patterns', async () => {
    const text = JSON.stringify(CREATE);
    const usage = { inputTokens: 1, outputTokens: 1 };
    const answers = [text, { text }, { text, isCut: true, usage }, undefined, { text: 7 }];
    const types = [];
    for (const answer of answers) {
      const client = { complete: async () => answer as string };
      const intent = await modelClassifier({ client, model: 'm' })('out of milk', []);
      types.push((intent as { intent_type: string }).intent_type);
    }
    expect(types).toEqual(['CREATE_TASK', 'CREATE_TASK', 'GENERAL_CHAT', 'GENERAL_CHAT', 'GENERAL_CHAT']);
  });

  test('may fence its answer, and may not say a thing twice or beside the answer', async () => {
    const text = JSON.stringify(CREATE);
    const typeOf = async (answer: string) =>
      ((await saying(answer).classifier('out of milk', [])) as { intent_type: string }).intent_type;
    for (const answer of [`\`\`\`json\n${text}\n\`\`\``, `\n\`\`\`\n${text}\n\`\`\`\n`, ` ${text}\n`])
      expect(await typeOf(answer), answer).toBe('CREATE_TASK');
    const twice = text.replace('{', '{"intent_type":"COMPLETE_TASK",');
    for (const answer of [twice, `${text} No, wait.`, `\`\`\`json\n${text}`])
      expect(await typeOf(answer), answer).toBe('GENERAL_CHAT');
  });

  test('is not asked where they find something', async () => {
    const { client, classifier } = saying(CREATE);
    await new AgentWorld().say('show my tasks', { classifier });
    expect(client.calls).toHaveLength(0);
  });

  test.each([
    ['not JSON', 'sure!'],
    ['invalid', { intent_type: 'CREATE_TASK', confidence: 7 }],
    ['unsure', { ...CREATE, confidence: 0.5 }],
    ['silent about its confidence', { ...CREATE, confidence: null }],
    ['a yes', { intent_type: 'CONFIRM_YES', confidence: 1 }],
    ['a deletion', { intent_type: 'DELETE_TASK', confidence: 1, extracted_params: { task_reference: 'gym' } }],
  ])('that is %s leaves the answer of the patterns', async (_name, answer) => {
    const { classifier } = saying(answer);
    const world = new AgentWorld();
    await world.store.add('u1', 'gym');
    await world.say('delete gym');
    const decision = await world.say('tell me a joke', { classifier });
    expect(decision).toMatchObject({ decision_type: 'RESPOND_ONLY', tool_calls: null });
    expect(await world.descriptions()).toEqual(['gym']);
  });

  test('that is slow or down does too', async () => {
    const hung = { complete: () => new Promise<never>(() => {}) };
    const down = { complete: () => Promise.reject(new Error('no network')) };
    for (const client of [hung, down]) {
      const classifier = modelClassifier({ client, model: 'm', timeout: 5, deadline: timerDeadline });
      expect((await new AgentWorld().say('groceries', { classifier })).decision_type).toBe('ASK_CLARIFICATION');
    }
  });
});
