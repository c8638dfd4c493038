/** Answers the JSON protocol of DynamoDB and SQS as a test says, and keeps the requests. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auditPut } from '../../../shared/adapters/dynamodb/audit/audit-item.ts';
import type { AuditEntry } from '../../../shared/contract/index.ts';
import { OPERATIONS } from '../../../shared/domain/record/operation-id.ts';

type Body = Readonly<Record<string, unknown>>;
/** Lambda's requests have no name, but a path. An answer with a `__type` is an error. */
export type Answers = Readonly<Record<string, (body: Body, path: string) => Body | Promise<Body>>>;

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
    const reply = (await answer?.(body, String(request.url))) ?? {
      __type: 'AccessDeniedException',
      message: `not authorized to perform: ${operation}`,
    };
    response.writeHead('__type' in reply ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(reply, bytesAsText));
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

/** SQS's answer for a message that it took. */
export const sent = (body: Body): Body => ({
  MessageId: 'sent',
  MD5OfMessageBody: createHash('md5').update(String(body['MessageBody'])).digest('hex'),
});

/** The record of any operation that is looked for: nothing for the first `late` looks. */
export function recorded(result: Partial<AuditEntry>, late = 0): (body: Body) => Body {
  let looks = 0;
  return ({ ExpressionAttributeValues: values }) => {
    const pk = (values as { readonly ':pk': { readonly S: string } })[':pk'].S;
    // The decisions' partition is looked at as well.
    if (!pk.startsWith('operation/') || looks++ < late) return { Items: [] };
    const pid = pk.split('#')[1] ?? '';
    const about = {
      pid,
      proposalId: null,
      agent: OPERATIONS,
      policyVersion: 'a'.repeat(64),
      type: 'operation' as const,
    };
    const entry = { ...about, recordedAt: '2026-11-21T10:00:01.000Z', ...result };
    const key = { agent: OPERATIONS, pid, sort: 'operation#m1' };
    return { Items: [auditPut({ audit: 'audit', state: '' }, { key, entry }).Item] };
  };
}

/** Bytes travel as base64. `this` holds the value before `Buffer` turns itself into a list. */
function bytesAsText(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key];
  return raw instanceof Uint8Array ? Buffer.from(raw).toString('base64') : value;
}

type Row = Readonly<Record<string, unknown>>;

/** Approvals that wait: the index names them, in pages of so many, and they are read by key. */
export function waitingRows(rows: readonly Row[], pageSize = rows.length): Answers {
  return {
    Query({ IndexName, ExpressionAttributeValues, ExclusiveStartKey }) {
      const { ':partition': partition } = ExpressionAttributeValues as Record<string, { S: string }>;
      if (IndexName !== 'byLook' || partition?.S !== 'approvals#00') return { Items: [] };
      const from = ExclusiveStartKey ? Number((ExclusiveStartKey as { n: { N: string } }).n.N) : 0;
      const next = from + pageSize;
      const Items = rows.slice(from, next).map(({ pk, sk }) => ({ pk, sk }));
      return { Items, ...(next < rows.length ? { LastEvaluatedKey: { n: { N: String(next) } } } : {}) };
    },
    BatchGetItem: ({ RequestItems }) => ({
      Responses: Object.fromEntries(Object.keys(RequestItems as object).map((table) => [table, rows])),
    }),
  };
}
