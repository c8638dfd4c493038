/**
 * Runs the task agent's model over the provider's wire format.
 *
 * The model may name a wish, and any failure leaves the patterns' answer.
 */
import { afterEach, expect, test } from 'vitest';
import { taskClassifierOf } from '../../../functions/runtime/models/task-model.ts';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { type AnthropicServer, startAnthropicServer } from '../../local/models/anthropic.ts';
import type { Reply } from '../../local/models/scripted-model.ts';
import { policyOf } from '../../unit/use-cases/world.ts';

let server: AnthropicServer | undefined;
afterEach(() => server?.close());

/** Only a model that never answers may run out of time. */
const policyWith = (timeout: string) => {
  const model = `{ provider: anthropic, model: reader-1, secret: reader-key, timeout: ${timeout} }`;
  return compilePolicy(policyOf({ more: `taskAgent: { enabled: true, agent: coder, model: ${model} }` }));
};
const WISH = { intent_type: 'CREATE_TASK', confidence: 0.95, extracted_params: { description: 'buy milk' } };

async function asked(message: string, reply: Reply) {
  server = await startAnthropicServer([reply, reply, reply]);
  const policy = policyWith(reply === 'never answer' ? '1s' : '10s');
  const classifier = taskClassifierOf(policy, server.url, async (name) => `key of ${name}`);
  return classifier?.(message, []);
}

test('it is asked about what no pattern tells, with the key and the model of the policy file', async () => {
  expect(await asked('we are out of milk', JSON.stringify(WISH))).toMatchObject(WISH);
  expect(server?.requests[0]?.headers['x-api-key']).toBe('key of reader-key');
  expect(server?.requests[0]?.body.model).toBe('reader-1');
});

test('it is not asked what a pattern tells', async () => {
  expect(await asked('show my tasks', JSON.stringify(WISH))).toMatchObject({ intent_type: 'LIST_TASKS' });
  expect(server?.requests).toHaveLength(0);
});

test.each<[string, Reply]>([
  ['confirms', JSON.stringify({ intent_type: 'CONFIRM_YES', confidence: 1 })],
  ['deletes', JSON.stringify({ intent_type: 'DELETE_TASK', confidence: 1, extracted_params: { task_reference: 'x' } })],
  ['is not sure', JSON.stringify({ ...WISH, confidence: 0.3 })],
  ['says something else', 'Of course! I have added it.'],
  ['refuses', { status: 529, type: 'overloaded_error', message: 'busy' }],
  ['hangs up', 'hang up'],
  ['never answers', 'never answer'],
])('a model that %s leaves the answer of the patterns', async (_, reply) => {
  expect(await asked('we are out of milk', reply)).toMatchObject({ intent_type: 'GENERAL_CHAT' });
});

test('without a model in the policy file there is none', () => {
  expect(
    taskClassifierOf(compilePolicy(policyOf({ more: 'taskAgent: { enabled: true }' })), undefined),
  ).toBeUndefined();
});
