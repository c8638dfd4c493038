/** Where the small client of DynamoDB finds its endpoint and its keys. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { plainSettings, sdkSettings } from '../../../../../shared/adapters/dynamodb/signed/settings.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };

afterEach(() => vi.unstubAllEnvs());

test.each(
  'af-south-1 ap-east-1 ap-northeast-3 ap-southeast-7 ca-central-1 ca-west-1 eu-central-2 eu-north-1 eu-west-3 il-central-1 me-central-1 mx-central-1 sa-east-1 us-east-1 us-west-2'.split(
    ' ',
  ),
)('the endpoint of %s is the SDK’s', async (region) => {
  const { config } = new DynamoDBClient({ region });
  const { url } = config.endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false });
  expect(plainSettings({ ...KEYS, AWS_REGION: region })?.endpoint.href).toBe(url.href);
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
  expect(plainSettings({ ...KEYS, ...env })).toBeUndefined();
});

test('the endpoint in the environment is taken, the one for DynamoDB first', () => {
  const env = { ...KEYS, AWS_REGION: 'cn-north-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' };
  expect(plainSettings(env)?.endpoint.href).toBe('http://127.0.0.1:4566/');
  const both = { ...env, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' };
  expect(plainSettings(both)?.endpoint.href).toBe('http://127.0.0.1:8000/');
});

test('keys that change are read anew, and no request is signed without', async () => {
  const env: Record<string, string | undefined> = { ...KEYS, AWS_REGION: 'us-east-1' };
  const settings = plainSettings(env);
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

test('the SDK’s settings are its own', async () => {
  for (const [name, value] of Object.entries({ ...KEYS, AWS_REGION: 'cn-north-1' })) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
  const settings = await sdkSettings();
  expect([settings.endpoint.href, settings.region]).toEqual([
    'https://dynamodb.cn-north-1.amazonaws.com.cn/',
    'cn-north-1',
  ]);
  expect(await settings.credentials()).toMatchObject({ accessKeyId: 'AKIDEXAMPLE', sessionToken: 'token' });
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
  expect((await sdkSettings()).endpoint.href).toBe('http://127.0.0.1:4566/');
});
