/** Checks models of Amazon Bedrock in a policy file: which access and which ids load. */
import { describe, expect, test } from 'vitest';
import { loadPolicy } from '../../../shared/config/load.ts';
import { modelsUsed } from '../../../shared/config/readers/models-used.ts';

const BASE = `
people: { olga: { team: T0TEST, user: U0OLGA, name: Olga } }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T0TEST, id: C0TEST } }
approvers: { platform: { members: [olga], channel: approvals } }
approvals: { approvers: platform }
`;
const load = (more: string) => loadPolicy(BASE + more, 'policy.yaml').policy;
const HAIKU = 'anthropic.claude-3-haiku-20240307-v1:0';
const PROFILE = 'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/abc';

const WHOLE = `
classifier: { model: { provider: bedrock, model: '${HAIKU}', price: { input: 1, output: 5 }, costPerDay: 2 } }
taskAgent: { enabled: true, agent: coder, model: { provider: bedrock, region: eu-west-1, model: eu.amazon.nova-lite-v1:0 } }
models: { main: { provider: bedrock, timeout: 5s }, key: { provider: vercel, secret: k } }
policies:
  one:
    type: composite
    proposer: { type: llm, client: main, model: '${PROFILE}' }
    approver: { type: human-in-the-loop, timeout: 1m, delegate: { type: llm, client: key, model: openai/gpt-5 } }
    requiresApproval: { type: always }
`;

test('a model of Bedrock needs no secret, and each use is listed with its access', () => {
  const policy = load(WHOLE);
  expect(policy.models['main']).toEqual({ provider: 'bedrock', timeout: 5_000 });
  expect(modelsUsed(policy).map(({ of, model, access }) => [of, model, access.provider, access.region])).toEqual([
    ['classifier', HAIKU, 'bedrock', undefined],
    ['taskAgent', 'eu.amazon.nova-lite-v1:0', 'bedrock', 'eu-west-1'],
    ['policies', PROFILE, 'bedrock', undefined],
    ['policies', 'openai/gpt-5', 'vercel', undefined],
  ]);
});

test('a tree without a client asks the only one', () => {
  const policy = load(`models: { main: { provider: bedrock } }\npolicies: { one: { type: llm, model: '${HAIKU}' } }\n`);
  expect(modelsUsed(policy)).toMatchObject([{ model: HAIKU, access: { provider: 'bedrock' } }]);
});

describe('refused with its place', () => {
  const tree = (model: string, access = 'provider: bedrock') =>
    `models: { main: { ${access} } }\npolicies: { one: { type: llm, model: '${model}' } }\n`;
  test.each<[string, string, RegExp]>([
    ['a name of another provider', tree('claude-sonnet-4-5'), /8:\d+: policies\.one\.model: is no id of Bedrock/],
    ['a wildcard', tree('anthropic.*'), /policies\.one\.model: is no id of Bedrock/],
    [
      'an ARN of another region',
      tree(PROFILE, 'provider: bedrock, region: eu-west-1'),
      /is in us-east-1, and its client/,
    ],
    ['a secret', 'models: { main: { provider: bedrock, secret: k } }', /models\.main\.secret: is never read/],
    ['no secret', 'models: { main: { provider: anthropic } }', /models\.main\.secret: is required/],
    [
      'a region of another provider',
      'models: { main: { provider: vercel, secret: k, region: eu-west-1 } }',
      /models\.main\.region: is for bedrock only/,
    ],
    ['a region that is none', 'models: { main: { provider: bedrock, region: Frankfurt } }', /models\.main\.region/],
    [
      'a classifier by a name that is no id',
      'classifier: { model: { provider: bedrock, model: nova } }',
      /classifier\.model\.model: is no id of Bedrock/,
    ],
    [
      'a classifier without its secret',
      'classifier: { model: { provider: vercel, model: nova } }',
      /classifier\.model\.secret/,
    ],
    [
      'a task agent with a secret',
      `taskAgent: { enabled: true, agent: coder, model: { provider: bedrock, secret: k, model: '${HAIKU}' } }`,
      /taskAgent\.model\.secret: is never read/,
    ],
  ])('%s', (_, more, problem) => {
    expect(() => load(more)).toThrow(problem);
  });
});
