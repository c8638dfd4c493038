/** Checks ids of Amazon Bedrock, and texts that are none. */
import { expect, test } from 'vitest';
import { bedrockModel, modelOfProfile } from '../../../../shared/domain/aws/bedrock-model.ts';

const ARN = 'arn:aws:bedrock:eu-west-1';

test.each([
  ['anthropic.claude-3-haiku-20240307-v1:0', 'model', undefined],
  ['amazon.nova-lite-v1:0:24k', 'model', undefined],
  ['openai.gpt-oss-120b-1:0', 'model', undefined],
  ['zai.glm-4.6', 'model', undefined],
  ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'profile', 'anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['global.anthropic.claude-haiku-4-5-20251001-v1:0', 'profile', 'anthropic.claude-haiku-4-5-20251001-v1:0'],
  ['us-gov.anthropic.claude-3-haiku-20240307-v1:0', 'profile', 'anthropic.claude-3-haiku-20240307-v1:0'],
  ['apac.zai.glm-4.6', 'profile', 'zai.glm-4.6'],
  [`${ARN}::foundation-model/amazon.nova-lite-v1:0`, 'arn', undefined],
  [`${ARN}:111122223333:inference-profile/eu.amazon.nova-lite-v1:0`, 'arn', 'amazon.nova-lite-v1:0'],
  [`${ARN}:111122223333:inference-profile/moon.amazon.nova-lite-v1:0`, 'arn', '*'],
  [`${ARN}:111122223333:application-inference-profile/abc123`, 'arn', '*'],
  [`${ARN}:111122223333:provisioned-model/abc123`, 'arn', undefined],
  ['arn:aws-us-gov:bedrock:us-gov-west-1:111122223333:custom-model-deployment/abc', 'arn', undefined],
])('%s', (text, kind, inside) => {
  const model = bedrockModel(text);
  expect(model?.kind).toBe(kind);
  expect(model && modelOfProfile(model)).toBe(inside);
});

test.each([
  'claude-sonnet-4-5',
  'anthropic/claude-sonnet-4.5',
  'eu.claude',
  'Anthropic.Claude',
  'anthropic.claude v1',
  'anthropic.*',
  'anthropic.claude?',
  '.anthropic',
  'anthropic.',
  '',
  `${ARN}::foundation-model/*`,
  `${ARN}:111122223333:foundation-model/amazon.nova-lite-v1:0`,
  `${ARN}::inference-profile/eu.amazon.nova-lite-v1:0`,
  `${ARN}:111122223333:prompt/ABC123:1`,
  `${ARN}:111122223333:imported-model/abc`,
  `${ARN}:111122223333:inference-profile/a/../b`,
  'arn:aws:sagemaker:eu-west-1:111122223333:endpoint/x',
  'arn:aws:bedrock:*:111122223333:provisioned-model/abc123',
])('%s is none', (text) => {
  expect(bedrockModel(text)).toBeUndefined();
});
