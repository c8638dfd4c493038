/** Checks that no keys of this machine reach the CDK, which would sign requests by them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cdk, reasonsIn } from '../../../shared/dev/aws/cdk-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-profile-'));
const signedBy = new Set<string>();
const server = createServer((request, response) => {
  signedBy.add(/Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? 'nobody');
  response.writeHead(403).end();
});
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

test('a profile that cdk.json names signs nothing, and the app finds none', async () => {
  const app = `node -e 'console.error("finds", process.env.AWS_PROFILE || "no profile", process.env.AWS_CONFIG_FILE)'`;
  writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ app, profile: 'production' }));
  writeFileSync(join(folder, 'config'), '[profile production]\nregion = eu-west-1\n');
  writeFileSync(
    join(folder, 'credentials'),
    '[production]\naws_access_key_id = REALKEY\naws_secret_access_key = secret\n',
  );
  const env = {
    ...{ PATH: process.env['PATH'], HOME: folder, AWS_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  };
  const lines: string[] = [];
  const made = cdk('deploy', ['--all'], env, { cwd: folder, onProgress: (line) => lines.push(line) });
  // The app makes no assembly.
  await expect(made).rejects.toThrow('cdk deploy failed');
  expect(lines).toContain('cdk deploy: finds no profile /dev/null');
  expect([...signedBy].filter((key) => key !== 'test')).toEqual([]);
});

test('of a deployment that failed the resources that failed are told, and not what was rolled back', () => {
  const failed =
    'CREATE_FAILED           | AWS::IAM::Policy           | Oncall/Policy (Oncall84D4) The role with name oncall cannot be found.';
  const output = [
    'Agents |   4 | 7:23:18 AM | DELETE_COMPLETE         | AWS::Lambda::Function      | Billing (Billing5AAB9F52)',
    `Agents |   1 | 7:23:18 AM | ${failed}`,
    'Failed resources:',
    `Agents | 7:23:18 AM | ${failed}`,
    ...Array.from({ length: 30 }, (_, line) => `more ${line}`),
  ].join('\n');
  expect(reasonsIn(output)).toBe(
    'AWS::IAM::Policy Oncall/Policy (Oncall84D4) The role with name oncall cannot be found.',
  );
  expect(reasonsIn('one\ntwo').split('\n')).toEqual(['one', 'two']);
});
