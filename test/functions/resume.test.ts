/** Checks an execution whose approval is missing: its sender and operators are told (G47). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Aws, startAws } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { intakeEnv } from './support/intake-aws.ts';
import { askingPolicy } from './support/waiting.ts';

let aws: Aws;
let resume: Deployed;

beforeAll(async () => {
  aws = await startAws({
    GetSecretValue: () => ({ SecretString: 'digest-key' }),
    GetParametersByPath: () => ({ Parameters: [] }),
    Query: () => ({ Items: [], Count: 0 }),
  });
  const env = intakeEnv(aws);
  resume = await deploy('resume', { policy: askingPolicy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await resume?.stop();
  await aws?.stop();
});

test('ends, and an alarm counts it', async () => {
  expect((await resume.invoke({ pid: 'a'.repeat(64) })).value).toEqual({ state: 'missing' });
  const lines = resume.log.join('\n');
  expect(lines).toMatch(/"RowsOrphaned":1\b/);
  expect(lines).toContain('an execution waits for an approval that is not there');
});
