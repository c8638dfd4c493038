/** Checks decisions to an agent's own queue: which faults are the queue's, and which may pass. */
import { QueueDoesNotExist, RequestThrottled, SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { sqsSendText } from '../../../../shared/adapters/sqs/outbox.ts';
import { sqsReplySender } from '../../../../shared/adapters/sqs/reply-sender.ts';
import type { Decision } from '../../../../shared/contract/index.ts';
import { ReplyQueueUnknownError, ReplyRefusedError } from '../../../../shared/ports/stores/outbox.ts';

const answered = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } });
const unknownToSdk = (name: string, status: number) =>
  new SQSServiceException({ name, $fault: 'client', message: name, ...answered(status) });

const faultOf = (fault: Error, queueOf = async (): Promise<string | undefined> => 'https://sqs.example/replies') => {
  const client = new SQSClient({ region: 'eu-central-1' });
  client.send = () => Promise.reject(fault);
  const sender = sqsReplySender(sqsSendText(client), queueOf, () => undefined);
  return sender.send('coder', { calls: [] } as unknown as Decision).catch((error: unknown) => error);
};

test.each([
  new QueueDoesNotExist({ message: 'gone', ...answered(400) }),
  unknownToSdk('AccessDenied', 403),
  unknownToSdk('AccessDeniedException', 400),
])('$name: the queue is gone or forbidden', async (fault) => {
  expect(await faultOf(fault)).toBeInstanceOf(ReplyRefusedError);
});

test.each([
  new RequestThrottled({ message: 'slower', ...answered(400) }),
  unknownToSdk('ThrottlingException', 400),
  unknownToSdk('TooFast', 429),
  unknownToSdk('ExpiredTokenException', 403),
  // The SDK calls what it does not know the client's fault.
  unknownToSdk('InternalError', 500),
  unknownToSdk('ServiceUnavailable', 503),
  Object.assign(new Error('connect ECONNREFUSED'), { name: 'ConnectionRefused' }),
])('$name may pass', async (fault) => {
  expect(await faultOf(fault)).toBe(fault);
});

test('where the queue of an agent cannot be looked up nothing is known of it, whatever the fault', async () => {
  const denied = unknownToSdk('AccessDeniedException', 400);
  expect(await faultOf(denied, () => Promise.reject(denied))).toBeInstanceOf(ReplyQueueUnknownError);
});

test('an agent is told nothing of why its call was allowed: its client may refuse a key that it does not know', async () => {
  const client = new SQSClient({ region: 'eu-central-1' });
  const bodies: string[] = [];
  client.send = async (command: unknown) =>
    void bodies.push((command as { readonly input: { readonly MessageBody: string } }).input.MessageBody);
  const permit = { permitId: '0123456789abcdef', allowedBy: { rules: ['a rule'] } };
  const decision = { proposalId: 'p1', calls: [{ id: 'call', outcome: 'approved', permit }] } as unknown as Decision;
  await sqsReplySender(
    sqsSendText(client),
    async () => 'https://sqs.example/replies',
    () => undefined,
  ).send('coder', decision);
  expect(bodies.map((body) => JSON.parse(body))).toEqual([
    { proposalId: 'p1', calls: [{ id: 'call', outcome: 'approved', permit: { permitId: '0123456789abcdef' } }] },
  ]);
});
