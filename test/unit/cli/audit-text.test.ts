/** Checks that a text of the record has no effect on the terminal that shows it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import { cli } from './run-cli.ts';

/** A control sequence of one character, and an order of reading: canonical JSON escapes neither. */
const TEXT = JSON.stringify({ command: 'git push \u009b2J\u202eniam' });
const server = createServer((_, response) => response.end(TEXT));
const before = { ...process.env };
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env['AWS_ENDPOINT_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
});
afterAll(() => {
  server.close();
  for (const name of ['AWS_ENDPOINT_URL', 'AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

test('it stands there with escapes, and parses back to the same value', async () => {
  const { out, code } = await cli(['audit', 'text', sha256Hex(TEXT), '--text-bucket', 'texts']);
  expect(code).toBe(0);
  expect(out).toContain('git push \\u009b2J\\u202eniam');
  expect(JSON.parse(out)).toEqual(JSON.parse(TEXT));
});
