/** Checks that a deployment to the local endpoint changes no assembly that somebody made. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
