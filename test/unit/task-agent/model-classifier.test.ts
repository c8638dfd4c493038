/** Checks a model as classifier: it is asked only where the patterns find nothing. */
import { describe, expect, test } from 'vitest';
import { timerDeadline } from '../../../shared/task-agent/deadline.ts';
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
