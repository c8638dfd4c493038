/** Checks that messages sent together use few requests, and that a retry sends no message twice. */
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sqsDeferredQueue } from '../../../../shared/adapters/sqs/outbox.ts';
import { sendTogether } from '../../../../shared/adapters/sqs/send-together.ts';
import { type FakeAws, fakeAws } from '../../cli/fake-aws.ts';

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly DelaySeconds?: number;
  readonly MessageGroupId: string;
}

let aws: FakeAws;
let client: SQSClient;
/** Bodies that the queue does not take. */
let refused: Set<string>;
const clientOf = ({ url }: FakeAws) => {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return new SQSClient({ endpoint: url, region: 'us-east-1', credentials, maxAttempts: 1, md5: false });
};
const requests = () => aws.asked.map(({ body }) => body['Entries'] as unknown as Entry[]);

beforeAll(async () => {
  aws = await fakeAws({
    SendMessageBatch: ({ Entries }) => {
      const entries = Entries as unknown as Entry[];
      const [taken, failed] = [true, false].map((isTaken) =>
        entries.filter(({ MessageBody }) => refused.has(MessageBody) !== isTaken),
      );
      return {
        Successful: taken?.map(({ Id }) => ({ Id, MessageId: Id })),
        Failed: failed?.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false })),
      };
    },
  });
  client = clientOf(aws);
});
afterAll(() => aws?.close());
beforeEach(() => {
  refused = new Set();
  aws.asked.length = 0;
});

const statuses = async (sends: readonly Promise<void>[]) =>
  (await Promise.allSettled(sends)).map(({ status }) => status);
const sender = () => sendTogether(client, `${aws.url}/deferred`);

test('one turn is one request for ten; each with a delay of its own, or the one of the queue', async () => {
  const send = sender();
  await Promise.all(Array.from({ length: 23 }, (_, index) => send(`m${index}`, 'g', index)));
  expect(
    requests()
      .map((entries) => entries.length)
      .toSorted(),
  ).toEqual([10, 10, 3].toSorted());
  const seen = requests()
    .flat()
    .map(({ MessageBody, DelaySeconds }) => [MessageBody, DelaySeconds]);
  expect(new Map(seen as [string, number | undefined][])).toEqual(
    new Map(Array.from({ length: 23 }, (_, n) => [`m${n}`, n || undefined])),
  );
  await send('later', 'g', 0);
  expect(requests()).toHaveLength(4);
});

test('what is put aside is in the group of who sent it, so that a flood waits behind itself (G34)', async () => {
  const queue = sqsDeferredQueue(client, `${aws.url}/deferred`);
  const message = { firstSentAt: 1, messageId: 'm', rounds: 1, raw: '{}' };
  await Promise.all([
    queue.defer({ ...message, principal: 'AROAONE:task-1' }, 1.2),
    queue.defer({ ...message, principal: 'AROAONE:task-2' }, 5_000),
    queue.defer({ ...message, principal: 'AIDATWO' }, -1),
    queue.handOver('a'.repeat(64)),
  ]);
  expect(
    requests()
      .flat()
      .map(({ MessageGroupId, DelaySeconds }) => [MessageGroupId, DelaySeconds]),
  ).toEqual([
    ['AROAONE', 2],
    ['AROAONE', 900],
    ['AIDATWO', undefined],
    ['a'.repeat(64), undefined],
  ]);
});

test('no request is longer than the queue takes, unless one message alone is', async () => {
  const long = (kilobytes: number) => 'x'.repeat(kilobytes * 1024);
  const sizes = [200, 100, 100, 300, 1];
  const send = sender();
  await Promise.all(sizes.map((size) => send(long(size), 'g', 0)));
  expect(
    requests()
      .map((entries) => entries.map(({ MessageBody }) => MessageBody.length / 1024))
      .toSorted(),
  ).toEqual([[1], [100, 100], [200], [300]].toSorted());
});

test('exactly what was not taken is not sent', async () => {
  refused = new Set(['b', 'd']);
  const send = sender();
  expect(await statuses(['a', 'b', 'c', 'd'].map((body) => send(body, 'g', 0)))).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ]);
});

test('of a request that fails nothing was sent, and the next one is another', async () => {
  const gone = await fakeAws({});
  const send = sendTogether(clientOf(gone), `${gone.url}/deferred`);
  expect(await statuses([send('a', 'g', 0), send('b', 'g', 0)])).toEqual(['rejected', 'rejected']);
  expect(await statuses([send('a', 'g', 0)])).toEqual(['rejected']);
  expect(gone.asked).toHaveLength(2);
  await gone.close();
});
