/** Runs the model of auto mode over the provider's wire format, with its failures (D8). */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { modelOf } from '../../../functions/runtime/models/model.ts';
import { policyModels } from '../../../functions/runtime/models/policy-models.ts';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { ClassifierContext } from '../../../shared/permissions/classifiers/context.ts';
import { type AnthropicServer, startAnthropicServer } from '../../local/models/anthropic.ts';
import { type BedrockServer, startBedrockServer } from '../../local/models/bedrock.ts';
import type { Reply } from '../../local/models/scripted-model.ts';
import { withNonce } from '../../support/nonce.ts';
import { policyOf } from '../../unit/use-cases/world.ts';

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

describe('a model of Amazon Bedrock', () => {
  const AWS = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
  const NOVA = 'eu.amazon.nova-lite-v1:0';
  const noSecret = async (name: string): Promise<string> => {
    throw new Error(`${name} was read`);
  };
  let bedrock: BedrockServer | undefined;
  afterEach(async () => {
    vi.unstubAllEnvs();
    await bedrock?.close();
  });

  async function startedWith(reply: Reply) {
    for (const [name, value] of Object.entries(AWS)) vi.stubEnv(name, value);
    bedrock = await startBedrockServer(
      ({ body: { system } }) => withNonce(reply, system?.map(({ text }) => text).join('\n')),
      AWS.AWS_SECRET_ACCESS_KEY,
    );
    return bedrock.url;
  }

  test('the classifier asks it under the keys of the role, and reads no secret', async () => {
    const url = await startedWith('{"should_block": false, "reason": "harmless", "confidence": 0.9}');
    const more = `classifier: { model: { provider: bedrock, model: '${NOVA}', timeout: 2s } }`;
    const model = modelOf(compilePolicy(policyOf({ more })), url, noSecret);
    expect(model?.name).toBe(`bedrock/${NOVA}`);
    expect(await model?.classifier.classify(request)).toMatchObject({ shouldBlock: false, confidence: 0.9 });
    expect(bedrock?.requests).toMatchObject([
      { model: NOVA, scope: { accessKeyId: 'AKIDEXAMPLE', region: 'eu-west-1' } },
    ]);
  });

  test('an agent policy asks it, and its tokens have their price', async () => {
    const url = await startedWith('{"action": null, "reasoning": "none"}');
    const more = 'models: { main: { provider: bedrock, region: us-east-1, price: { input: 3, output: 15 } } }';
    const client = policyModels(compilePolicy(policyOf({ more })), url, noSecret)?.client('main');
    const answer = await client?.llm.complete([{ role: 'user', content: 'Hi' }], NOVA);
    if (typeof answer !== 'object') throw new Error('an answer has its tokens');
    const { inputTokens, outputTokens } = answer.usage;
    expect(client?.cost(answer.usage)).toBe(inputTokens * 3 + outputTokens * 15);
    expect(bedrock?.requests[0]?.scope.region).toBe('us-east-1');
  });

  test('a throttle is a failure that names itself, asked once', async () => {
    const url = await startedWith({ status: 429, type: 'ThrottlingException', message: 'Too many tokens' });
    const more = `classifier: { model: { provider: bedrock, model: '${NOVA}', timeout: 2s } }`;
    const model = modelOf(compilePolicy(policyOf({ more })), url, noSecret);
    await expect(model?.classifier.classify(request)).rejects.toThrow('ThrottlingException: Too many tokens');
    expect(bedrock?.requests).toHaveLength(1);
  });
});
