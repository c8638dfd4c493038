/** Checks where the small clients of AWS find their endpoint and their keys. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, expect, test, vi } from 'vitest';
import { BEDROCK } from '../../../../../shared/adapters/aws/signed/bedrock.ts';
import { DYNAMODB } from '../../../../../shared/adapters/aws/signed/dynamodb.ts';
import { EVENTBRIDGE } from '../../../../../shared/adapters/aws/signed/eventbridge.ts';
import { KMS } from '../../../../../shared/adapters/aws/signed/kms.ts';
import { SECRETS_MANAGER } from '../../../../../shared/adapters/aws/signed/secrets-manager.ts';
import type { SdkConfig } from '../../../../../shared/adapters/aws/signed/service.ts';
import { plainSettings, sdkSettings } from '../../../../../shared/adapters/aws/signed/settings.ts';
import { SQS } from '../../../../../shared/adapters/aws/signed/sqs.ts';
import { SSM } from '../../../../../shared/adapters/aws/signed/ssm.ts';
import { STEP_FUNCTIONS } from '../../../../../shared/adapters/aws/signed/step-functions.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };

afterEach(() => vi.unstubAllEnvs());

const PLAIN_REGIONS =
  'af-south-1 ap-east-1 ap-northeast-3 ap-southeast-7 ca-central-1 ca-west-1 eu-central-2 eu-north-1 eu-west-3 il-central-1 me-central-1 mx-central-1 sa-east-1 us-east-1 us-west-2'.split(
    ' ',
  );
const SERVICES = [
  [DYNAMODB, DynamoDBClient],
  [EVENTBRIDGE, EventBridgeClient],
  [KMS, KMSClient],
  [SECRETS_MANAGER, SecretsManagerClient],
  [SQS, SQSClient],
  [SSM, SSMClient],
  [STEP_FUNCTIONS, SFNClient],
] as const;

test.each(SERVICES)('the endpoints of $host are the SDK’s', (service, Client) => {
  for (const region of PLAIN_REGIONS) {
    const { config }: { readonly config: SdkConfig } = new Client({ region });
    const { url } = config.endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false });
    expect(plainSettings(service, { ...KEYS, AWS_REGION: region })?.endpoint.href).toBe(url.href);
  }
});

test.each([
  ['China', { AWS_REGION: 'cn-north-1' }],
  ['GovCloud', { AWS_REGION: 'us-gov-west-1' }],
  ['an isolated partition', { AWS_REGION: 'us-iso-east-1' }],
  ['the sovereign cloud', { AWS_REGION: 'eusc-de-east-1' }],
  ['FIPS', { AWS_REGION: 'us-east-1', AWS_USE_FIPS_ENDPOINT: 'true' }],
  ['both stacks', { AWS_REGION: 'us-east-1', AWS_USE_DUALSTACK_ENDPOINT: 'true' }],
  ['no region', {}],
  ['no keys', { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: undefined }],
] as const)('%s is left to the SDK', (_, env) => {
  expect(plainSettings(DYNAMODB, { ...KEYS, ...env })).toBeUndefined();
});

test.each(SERVICES)('the endpoint in the environment is taken for $host, its own first', (service) => {
  const env = { ...KEYS, AWS_REGION: 'cn-north-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' };
  expect(plainSettings(service, env)?.endpoint.href).toBe('http://127.0.0.1:4566/');
  const both = { ...env, [service.endpointVariable]: 'http://127.0.0.1:8000' };
  expect(plainSettings(service, both)?.endpoint.href).toBe('http://127.0.0.1:8000/');
});

test('keys that change are read anew, and no request is signed without', async () => {
  const env: Record<string, string | undefined> = { ...KEYS, AWS_REGION: 'us-east-1' };
  const settings = plainSettings(DYNAMODB, env);
  expect(await settings?.credentials()).toEqual({
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'secret',
    sessionToken: 'token',
  });
  Object.assign(env, { AWS_ACCESS_KEY_ID: 'AKIDNEXT', AWS_SESSION_TOKEN: undefined });
  expect(await settings?.credentials()).toEqual({ accessKeyId: 'AKIDNEXT', secretAccessKey: 'secret' });
  env['AWS_SECRET_ACCESS_KEY'] = undefined;
  await expect(settings?.credentials()).rejects.toThrow('AWS_SECRET_ACCESS_KEY');
});

test.each(SERVICES)('unusual settings of $host are resolved by the SDK', async (service, Client) => {
  for (const [name, value] of Object.entries({ ...KEYS, AWS_REGION: 'cn-north-1' })) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
  const settings = await sdkSettings(service);
  const { config }: { readonly config: SdkConfig } = new Client({});
  const { url } = config.endpointProvider({ Region: 'cn-north-1', UseFIPS: false, UseDualStack: false });
  expect([settings.endpoint.href, settings.region]).toEqual([url.href, 'cn-north-1']);
  expect(settings.endpoint.hostname).toBe(`${service.host}.cn-north-1.amazonaws.com.cn`);
  expect(await settings.credentials()).toMatchObject({ accessKeyId: 'AKIDEXAMPLE', sessionToken: 'token' });
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
  expect((await sdkSettings(service)).endpoint.href).toBe('http://127.0.0.1:4566/');
});

test.each([
  ['cn-north-1', {}, 'bedrock-runtime.cn-north-1.amazonaws.com.cn'],
  ['us-gov-west-1', { AWS_USE_FIPS_ENDPOINT: 'true' }, 'bedrock-runtime-fips.us-gov-west-1.amazonaws.com'],
  ['us-east-1', { AWS_USE_DUALSTACK_ENDPOINT: 'true' }, 'bedrock-runtime.us-east-1.api.aws'],
])('Bedrock in %s %o is at %s', async (region, more, hostname) => {
  for (const [name, value] of Object.entries({ ...KEYS, AWS_REGION: 'us-west-2', ...more })) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
  const settings = await sdkSettings(BEDROCK, region);
  expect([settings.endpoint.hostname, settings.region]).toEqual([hostname, region]);
  expect(await settings.credentials()).toMatchObject({ accessKeyId: 'AKIDEXAMPLE' });
});

test('a stated region needs no other: keys of a profile or a machine come without one', async () => {
  for (const [name, value] of Object.entries({
    ...KEYS,
    AWS_CONFIG_FILE: '/nowhere',
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
  }))
    vi.stubEnv(name, value);
  for (const name of ['AWS_ENDPOINT_URL', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE'])
    vi.stubEnv(name, undefined);
  const { endpoint, region } = await sdkSettings(BEDROCK, 'eu-central-1');
  expect([endpoint.hostname, region]).toEqual(['bedrock-runtime.eu-central-1.amazonaws.com', 'eu-central-1']);
});

test('Bedrock in a plain region needs no SDK', () => {
  const settings = plainSettings(BEDROCK, { ...KEYS, AWS_REGION: 'eu-central-1' });
  expect(settings?.endpoint.href).toBe('https://bedrock-runtime.eu-central-1.amazonaws.com/');
});
