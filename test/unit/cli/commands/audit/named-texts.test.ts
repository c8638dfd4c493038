/** Checks which answers of S3 `countersign audit verify` takes for a text that is gone. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { namedTexts } from '../../../../../shared/cli/support/audit/record-texts.ts';
import { sha256Hex } from '../../../../../shared/domain/digest.ts';

const NAME = `record/${sha256Hex('a text')}`;
let close: () => void = () => undefined;
afterEach(() => {
  close();
  vi.unstubAllEnvs();
});

/** Looks for the text where S3 gives one answer. */
async function find(status: number, body: string) {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => server.close();
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  return (await namedTexts('texts')).find(NAME);
}

const error = (code: string, message: string) => `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
const denied = (right: string) =>
  error('AccessDenied', `User: arn:aws:iam::1:role/a is not authorized to perform: ${right} on resource: "x"`);

test.each([
  ['the text', 200, 'a text', 'there'],
  ['another text', 200, 'another text', 'changed'],
  ['nothing', 404, error('NoSuchKey', 'The specified key does not exist.'), 'missing'],
  ['nothing, to a role that may not list', 403, denied('s3:ListBucket'), 'missing'],
  ['nothing, without the right that lacks', 403, error('AccessDenied', 'Access Denied'), 'missing'],
  ['a text under a key that the role may not use', 403, denied('kms:Decrypt'), 'locked'],
  [
    'a text under a key of its writer’s own',
    400,
    error('InvalidRequest', 'The correct parameters must be provided'),
    'changed',
  ],
  ['a text in cold storage', 403, error('InvalidObjectState', 'The operation is not valid'), 'changed'],
])('S3 gives %s', async (_, status, body, found) => {
  expect(await find(status, body)).toBe(found);
});

test('a role without the right to read tells nothing of the record', async () => {
  await expect(find(403, denied('s3:GetObject'))).rejects.toThrow('s3:GetObject');
});
