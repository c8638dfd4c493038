/** An endpoint that answers the JSON protocol of DynamoDB and SQS with what a test says, and keeps what was asked. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Body = Readonly<Record<string, unknown>>;
export type Answers = Readonly<Record<string, (body: Body) => Body>>;

export interface FakeAws {
  readonly url: string;
  readonly asked: { readonly operation: string; readonly body: Body }[];
  close(): Promise<void>;
}

/** An operation without an answer is refused: a test that does not expect it fails. Sets the environment of this process. */
export async function fakeAws(answers: Answers): Promise<FakeAws> {
  const asked: FakeAws['asked'] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const operation =
      String(request.headers['x-amz-target'] ?? '')
        .split('.')
        .at(-1) ?? '';
    const body = JSON.parse(text || '{}') as Body;
    asked.push({ operation, body });
    const answer = answers[operation];
    const said = answer?.(body) ?? {
      __type: 'AccessDeniedException',
      message: `not authorized to perform: ${operation}`,
    };
    response.writeHead(answer ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(said, bytesAsText));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  return {
    url,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What SQS says of a message it took. */
export const sent = (body: Body): Body => ({
  MessageId: 'sent',
  MD5OfMessageBody: createHash('md5').update(String(body['MessageBody'])).digest('hex'),
});

/** Bytes travel as base64. `this` holds the value before `Buffer` turns itself into a list. */
function bytesAsText(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key];
  return raw instanceof Uint8Array ? Buffer.from(raw).toString('base64') : value;
}
