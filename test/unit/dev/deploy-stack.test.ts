/** Checks what a deployment to the local endpoint leaves of an assembly, and what the CDK trusts. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployStack } from '../../../shared/dev/aws/deploy-stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-given-'));
/** A CloudFormation that was bootstrapped. */
const server = createServer((_, response) =>
  response.end(`<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>
<StackName>CDKToolkit</StackName><StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2026-11-23T00:00:00Z</CreationTime>
</member></Stacks></DescribeStacksResult></DescribeStacksResponse>`),
);
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

test('a folder that was given is changed in a copy, for its owner may deploy it to AWS next', async () => {
  writeFileSync(join(folder, 'manifest.json'), '{"artifacts":{}}');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint = { kind: 'given', url, env: {}, pid: undefined, logFile: undefined, stop: async () => {} } as const;
  const adapt = async (assembly: string) => {
    expect(readFileSync(join(assembly, 'manifest.json'), 'utf8')).toBe('{"artifacts":{}}');
    writeFileSync(join(assembly, 'manifest.json'), 'changed');
    throw new Error('enough');
  };
  await expect(deployStack(endpoint, { app: folder, adapt })).rejects.toThrow('enough');
  expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe('{"artifacts":{}}');
});

test('the CDK trusts the endpoint alone, and the app all that its user trusts', async () => {
  const installed = join(folder, 'node_modules', 'aws-cdk');
  mkdirSync(join(installed, 'bin'), { recursive: true });
  for (const manifest of [join(folder, 'package.json'), join(installed, 'package.json')])
    writeFileSync(manifest, '{"name":"aws-cdk","type":"commonjs"}');
  const [program, seen] = [join(installed, 'bin', 'cdk'), join(folder, 'seen')];
  const line = `[process.argv[2], process.argv[process.argv.indexOf('--ca-bundle-path') + 1], process.env.AWS_CA_BUNDLE].join()`;
  writeFileSync(program, `require('node:fs').appendFileSync(${JSON.stringify(seen)}, ${line} + '\\n');`);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { kind: 'ministack', url, certificate: 'own.pem', env: { AWS_CA_BUNDLE: 'all.pem' } } as const;
  const endpoint = { ...settings, pid: undefined, logFile: undefined, stop: async () => {} };
  await deployStack(endpoint, { app: 'made by a command', cwd: folder, stacks: ['Gate'] });
  expect(readFileSync(seen, 'utf8')).toBe('deploy,own.pem,all.pem\n');
});
