// Asks models at an endpoint that enforces IAM: Converse needs InvokeModel on the one it names.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { BedrockClient } from '../../../shared/adapters/llm/bedrock.ts';
import { ACCOUNT, type Endpoint, REGION, startEndpoint, useInThisProcess } from './index.ts';
import { type Clients, type Credentials, clientsOf, makeUser } from './testing/fixtures.ts';

const HAIKU = 'anthropic.claude-3-haiku-20240307-v1:0';
const asked = [{ role: 'user', content: 'Hello' }] as const;

let endpoint: Endpoint;
let root: Clients;
beforeAll(async () => {
  endpoint = await startEndpoint();
  root = clientsOf(endpoint);
  useInThisProcess(endpoint);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => endpoint?.stop());

function clientOf({ accessKeyId, secretAccessKey }: Credentials) {
  for (const [name, value] of Object.entries({
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: undefined,
    AWS_ENDPOINT_URL: endpoint.url,
  }))
    vi.stubEnv(name, value);
  return new BedrockClient({ timeout: '20s' });
}

test('a user asks the models that it may invoke, by the id and the ARN of each, and no other', async () => {
  const here = `arn:aws:bedrock:${REGION}`;
  const application = `${here}:${ACCOUNT}:application-inference-profile/abc123`;
  const { credentials } = await makeUser(root, [
    { Action: 'bedrock:InvokeModel', Resource: `${here}::foundation-model/${HAIKU}` },
    { Action: 'bedrock:InvokeModel', Resource: `${here}:${ACCOUNT}:inference-profile/us.${HAIKU}` },
    { Action: 'bedrock:InvokeModel', Resource: application },
  ]);
  const client = clientOf(credentials);
  for (const model of [HAIKU, `us.${HAIKU}`, application])
    expect(await client.complete(asked, model)).toMatchObject({
      text: expect.stringMatching(/./),
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    });
  for (const model of ['amazon.nova-lite-v1:0', `eu.${HAIKU}`, application.replace('abc123', 'abc124')])
    await expect(client.complete(asked, model)).rejects.toMatchObject({ kind: 'api', status: 403 });
});
