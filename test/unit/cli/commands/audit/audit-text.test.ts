/** Checks that a text of the record has no effect on the terminal that shows it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256Hex } from '../../../../../shared/domain/digest.ts';
import { cli } from '../../run-cli.ts';

/** A control sequence of one character, and an order of reading: canonical JSON escapes neither. */
const TEXT = JSON.stringify({ command: 'git push \u009b2J\u202eniam' });
const server = createServer((request, response) => {
  const [status, message] = Object.entries(REFUSED).find(([digest]) => request.url?.includes(digest))?.[1] ?? [200, ''];
  const code = status === 404 ? 'NoSuchKey' : 'AccessDenied';
  response
    .writeHead(status)
    .end(status === 200 ? TEXT : `<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
});
const [GONE, UNLISTED, LOCKED] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
const REFUSED: Readonly<Record<string, readonly [number, string]>> = {
  [GONE]: [404, 'The specified key does not exist.'],
  // As S3 answers whoever may read and not list.
  [UNLISTED]: [403, 'auditor is not authorized to perform: s3:ListBucket'],
  [LOCKED]: [403, 'operator is not authorized to perform: s3:GetObject'],
};
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

test.each([GONE, UNLISTED])('a text that is not there is told so, with when texts go: %s', async (digest) => {
  const { err, code } = await cli(['audit', 'text', digest, '--text-bucket', 'texts']);
  expect(code).toBe(1);
  expect(err).toMatch(/^countersign: there is no text of \w+ in texts: .*record\.retention/);
  expect(err).not.toContain('take the role');
});

test('a text that the role may not read is not told to be gone, and the role that may is named', async () => {
  const { err, code } = await cli(['audit', 'text', LOCKED, '--text-bucket', 'texts']);
  expect(code).toBe(1);
  expect(err).toMatch(/^countersign: the text of c+ cannot be read: .*s3:GetObject; take the role that may: /);
});
