/** Checks the small client of SQS beside the SDK's: the rules that SQS alone has. */
import * as sdk from '@aws-sdk/client-sqs';
import { afterEach, expect, test, vi } from 'vitest';
import * as signed from '../../../../../shared/adapters/aws/signed/sqs.ts';
import { type Answer, OPTIONS, Wire } from './wire.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const QUEUE = 'http://127.0.0.1:9/000000000000/queue';
const A = '0cc175b9c0f1b6a831c399e269772661';

const SIDES = [
  ['ours', signed as unknown as typeof sdk],
  ['the SDK’s', sdk],
] as const;

async function failures(answer: Answer, command: (side: typeof sdk) => object): Promise<unknown[]> {
  return Promise.all(
    SIDES.map(async ([, side]) => {
      const client = new side.SQSClient({ ...OPTIONS, maxAttempts: 1, requestHandler: new Wire(answer) as never });
      const error: unknown = await client.send(command(side) as never).then(
        () => expect.unreachable(),
        (thrown: unknown) => thrown,
      );
      const { name, message, $fault } = error as Error & { readonly $fault?: string };
      return { name, message, $fault };
    }),
  );
}

const send = ({ SendMessageCommand }: typeof sdk) => new SendMessageCommand({ QueueUrl: QUEUE, MessageBody: 'a' });

test.each(
  'AWS.SimpleQueueService.BatchEntryIdsNotDistinct AWS.SimpleQueueService.BatchRequestTooLong AWS.SimpleQueueService.EmptyBatchRequest AWS.SimpleQueueService.InvalidBatchEntryId AWS.SimpleQueueService.MessageNotInflight AWS.SimpleQueueService.NonExistentQueue AWS.SimpleQueueService.PurgeQueueInProgress AWS.SimpleQueueService.QueueDeletedRecently AWS.SimpleQueueService.TooManyEntriesInBatchRequest AWS.SimpleQueueService.UnsupportedOperation AWS.SimpleQueueService.OfTomorrow KMS.AccessDeniedException KMS.DisabledException KMS.InvalidKeyUsageException KMS.InvalidStateException KMS.NotFoundException KMS.OptInRequired KMS.ThrottlingException InvalidAddress InvalidSecurity OverLimit QueueAlreadyExists ReceiptHandleIsInvalid RequestThrottled AccessDenied InvalidClientTokenId'.split(
    ' ',
  ),
)('the code %s names the error that the SDK throws', async (code) => {
  const headers = { 'x-amzn-query-error': `${code};Sender` };
  const body = '{"__type":"com.amazon.coral.service#SomeException","message":"no"}';
  const [mine, other] = await failures({ status: 400, headers, body }, send);
  expect(mine).toEqual(other);
  // Some endpoints write the code where the type belongs.
  const [plain, otherPlain] = await failures({ status: 400, body: `{"__type":"${code}","message":"no"}` }, send);
  expect(plain).toEqual(otherPlain);
});

test('a message that arrived as another one is a fault', async () => {
  const batch = ({ SendMessageBatchCommand }: typeof sdk) =>
    new SendMessageBatchCommand({ QueueUrl: QUEUE, Entries: [{ Id: '0', MessageBody: 'b' }] });
  const receive = ({ ReceiveMessageCommand }: typeof sdk) => new ReceiveMessageCommand({ QueueUrl: QUEUE });
  for (const [body, command] of [
    [`{"MessageId":"m","MD5OfMessageBody":"${A.replace('0', '1')}"}`, send],
    ['{"MessageId":"m"}', send],
    [`{"Successful":[{"Id":"0","MessageId":"m","MD5OfMessageBody":"${A}"}]}`, batch],
    [`{"Messages":[{"MessageId":"m","Body":"b","MD5OfBody":"${A}"},{"MessageId":"n","Body":"c"}]}`, receive],
  ] as const) {
    const [mine, other] = await failures({ body }, command);
    expect(mine).toEqual(other);
  }
});

test.each(SIDES)('a queue elsewhere is spoken to where it is: %s', async (_, side) => {
  vi.spyOn(console, 'warn').mockReturnValue();
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
  const wire = new Wire({ body: `{"MD5OfMessageBody":"${A}"}` });
  const QueueUrl = 'https://sqs.eu-west-1.amazonaws.com/000000000000/replies';
  await new side.SQSClient({ requestHandler: wire as never }).send(
    new side.SendMessageCommand({ QueueUrl, MessageBody: 'a' }),
  );
  const [{ hostname, protocol, path, headers } = {} as never] = wire.requests;
  expect([protocol, hostname, path, headers['host']]).toEqual([
    'https:',
    'sqs.eu-west-1.amazonaws.com',
    '/',
    'sqs.eu-west-1.amazonaws.com',
  ]);
  expect(headers['authorization']).toContain('/us-east-1/sqs/aws4_request');
});

test.each(SIDES)(
  'an address that is none, or of a client with an endpoint, changes no endpoint: %s',
  async (_, side) => {
    vi.spyOn(console, 'warn').mockReturnValue();
    for (const QueueUrl of ['queue', 'https://sqs.eu-west-1.amazonaws.com/000000000000/replies']) {
      const wire = new Wire({ body: `{"MD5OfMessageBody":"${A}"}` });
      const client = new side.SQSClient({ ...OPTIONS, requestHandler: wire as never });
      await client.send(new side.SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
      expect(wire.requests[0]?.hostname).toBe('127.0.0.1');
    }
  },
);
