/** Runs the model of auto mode over the provider's wire format, with its failures (D8). */
import { afterEach, expect, test } from 'vitest';
import { modelOf } from '../../functions/runtime/models/model.ts';
import { compilePolicy } from '../../shared/config/compile.ts';
import { ClassifierContext } from '../../shared/permissions/classifiers/context.ts';
import { type AnthropicServer, type Reply, startAnthropicServer } from '../local/anthropic/server.ts';
import { withNonce } from '../support/nonce.ts';
import { policyOf } from '../unit/use-cases/world.ts';

let server: AnthropicServer | undefined;
afterEach(() => server?.close());

const policy = compilePolicy(
  policyOf({ more: 'classifier: { model: { provider: anthropic, model: judge-1, secret: model-key, timeout: 2s } }' }),
);
const request = {
  toolName: 'Bash',
  input: { command: 'make all' },
  context: new ClassifierContext('coder', 'main'),
};

async function modelWith(replies: readonly Reply[], key = async (name: string) => `key of ${name}`) {
  let asked = 0;
  server = await startAnthropicServer(({ system }) =>
    withNonce(replies[Math.min(asked++, replies.length - 1)] ?? '', system),
  );
  const model = modelOf(policy, server.url, key);
  if (!model) throw new Error('the policy names a model');
  return model;
}

test('the key is the secret that the policy file names, the base URL that of the deployment', async () => {
  const model = await modelWith(['{"should_block": false, "reason": "harmless", "confidence": 0.9}']);
  expect(model).toMatchObject({ name: 'anthropic/judge-1', timeoutMs: 2_000 });
  const result = await model.classifier.classify(request);
  expect(result).toMatchObject({ shouldBlock: false, reason: 'harmless', confidence: 0.9 });
  expect(server?.requests[0]?.headers['x-api-key']).toBe('key of model-key');
  expect(server?.requests[0]?.body.model).toBe('judge-1');
});

test.each<[string, Reply]>([
  ['refuses', { status: 529, type: 'overloaded_error', message: 'busy' }],
  ['hangs up', 'hang up'],
  ['never answers', 'never answer'],
])('a provider that %s is a failure, not an answer', async (_, reply) => {
  const model = await modelWith([reply]);
  await expect(model.classifier.classify(request)).rejects.toThrow();
});

test('a key that could not be fetched is fetched again with the next question', async () => {
  let fetched = 0;
  const model = await modelWith(['{"should_block": true, "reason": "no"}'], async () => {
    if (++fetched === 1) throw new Error('no secret');
    return 'key';
  });
  await expect(model.classifier.classify(request)).rejects.toThrow('no secret');
  expect(await model.classifier.classify(request)).toMatchObject({ shouldBlock: true });
});

test('without a model in the policy file there is none', () => {
  expect(modelOf(compilePolicy(policyOf()), undefined)).toBeUndefined();
});
