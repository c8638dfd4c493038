/** Checks that events sent again reach a webhook in the form, and under the id, of the first time. */
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailOf, readCloudEvent } from '../../../../shared/adapters/eventbridge/event-detail.ts';
import { sqsWebhookQueue } from '../../../../shared/adapters/sqs/webhook-queue.ts';
import type { GateEvent } from '../../../../shared/ports/gate-events.ts';
import { type FakeAws, fakeAws } from '../../cli/fake-aws.ts';

const eventAt = (n: number): GateEvent => ({
  name: 'CallRan',
  eventVersion: 1,
  at: Date.parse('2026-11-23T05:00:00.000Z'),
  pid: null,
  proposalId: `p${n}`,
  agentId: 'billing',
  entry: `billing#${n}#ran#call`,
  detail: { accepted: true },
});

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
}

let aws: FakeAws;
let client: SQSClient;
let refused = '';
beforeAll(async () => {
  aws = await fakeAws({
    SendMessageBatch: ({ Entries }) => {
      const [taken, failed] = [true, false].map((isTaken) =>
        (Entries as unknown as Entry[]).filter(({ MessageBody }) => MessageBody.includes(refused || '\0') !== isTaken),
      );
      return {
        Successful: taken?.map(({ Id }) => ({ Id, MessageId: Id })),
        Failed: failed?.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false })),
      };
    },
  });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new SQSClient({ endpoint: aws.url, region: 'us-east-1', credentials, maxAttempts: 1, md5: false });
});
afterAll(() => {
  client?.destroy();
  aws?.close();
});

test('each is a message as the rule of the bus makes it, ten to a request', async () => {
  const events = Array.from({ length: 25 }, (_, n) => eventAt(n));
  await sqsWebhookQueue(client, `${aws.url}/webhooks`, 'shop').put('siem', events);
  const requests = aws.asked.map(({ body }) => body['Entries'] as unknown as Entry[]);
  expect(requests.map(({ length }) => length)).toEqual([10, 10, 5]);
  const bodies = requests.flat().map(({ MessageBody }) => JSON.parse(MessageBody) as { webhook: string; event: never });
  expect(bodies.map(({ webhook }) => webhook)).toEqual(events.map(() => 'siem'));
  expect(bodies.map(({ event }) => readCloudEvent(event)?.id)).toEqual(
    events.map((event) => detailOf(event, { deployment: 'shop', requestId: 'the first time' })['id']),
  );
});

test('a message that the queue does not take is an error', async () => {
  refused = 'p2';
  const events = [1, 2, 3].map(eventAt);
  await expect(sqsWebhookQueue(client, `${aws.url}/webhooks`, 'shop').put('siem', events)).rejects.toThrow('the queue');
});
