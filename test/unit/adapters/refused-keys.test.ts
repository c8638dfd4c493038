/**
 * Checks that a KMS key which is off, or refused, is an outage wherever errors are sorted (A11, G27).
 *
 * Nothing is given up for it.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SFNClient } from '@aws-sdk/client-sfn';
import { describe, expect, test } from 'vitest';
import { faultOf } from '../../../functions/runtime/telemetry/fault.ts';
import { dynamoControlStore } from '../../../shared/adapters/dynamodb/sessions/control-store.ts';
import { s3InputStore } from '../../../shared/adapters/s3/input-store.ts';
import { isOutage } from '../../../shared/adapters/slack/posting/outage.ts';
import { sqsReplySender } from '../../../shared/adapters/sqs/reply-sender.ts';
import { stepFunctionsWaits } from '../../../shared/adapters/step-functions/workflow.ts';
import { reasonOf } from '../../../shared/cli/support/reason-of.ts';
import { isPoison, pauseAfter, renew } from '../../../shared/use-cases/intake/resend.ts';
import { fromOutside } from '../../../shared/use-cases/port-faults.ts';

const refusal = (name: string, message: string, status = 400): Error =>
  Object.assign(new Error(message), {
    name,
    $fault: status < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode: status },
  });

const OF_DYNAMODB = refusal(
  'AccessDeniedException',
  'KMS key access denied error: com.amazonaws.services.kms.model.AWSKMSException: The ciphertext refers to a customer master key that does not exist',
);
const OF_S3 = refusal('KMS.DisabledException', 'arn:aws:kms:eu-central-1:111122223333:key/a is disabled.');
const OF_WORKFLOW = refusal('KmsAccessDeniedException', 'Access to the KMS key of this state machine was denied.');
const REFUSALS: readonly Error[] = [
  refusal('AccessDeniedException', 'User: arn:x is not authorized to perform: kms:Decrypt on resource: arn:y'),
  refusal('DisabledException', 'arn:aws:kms:eu-central-1:111122223333:key/a is disabled.'),
  refusal('KMSInvalidStateException', 'arn:aws:kms:eu-central-1:111122223333:key/a is pending deletion.'),
  refusal('KMSAccessDeniedException', 'Lambda was unable to decrypt the environment variables.', 502),
  refusal('KMSDisabledException', 'Lambda was unable to decrypt the environment variables.', 502),
  refusal('KmsAccessDenied', 'The caller does not have the required KMS access.'),
  refusal('KmsDisabled', 'The request was denied due to request throttling of a key that is off.'),
  refusal('KmsInvalidState', 'The state of the key is not right for this request.'),
  OF_DYNAMODB,
  OF_S3,
  refusal('KMS.KMSInvalidStateException', 'arn:aws:kms:eu-central-1:111122223333:key/a is pending deletion.'),
  OF_WORKFLOW,
  refusal('KmsInvalidStateException', 'The KMS key of this state machine is not enabled.'),
  refusal('DecryptionFailure', 'Secrets Manager cannot decrypt the secret with the KMS key.'),
];

const message = {
  ...{ messageId: 'm1', principal: 'AROA:s', groupId: 'coder', firstSentAt: 0, rounds: 0, raw: '{}' },
  ...{ admitted: true, isSlow: false },
} as never;

describe.each(REFUSALS.map((error) => [error.name, error] as const))('%s', (name, error) => {
  test('is no poison: its message waits, however often it was received, and is sent anew', async () => {
    expect(isPoison(error)).toBe(false);
    expect(pauseAfter(error, 'm1', 1_000)).toBeGreaterThan(0);
    const met = await fromOutside(() => Promise.reject(error)).catch((fault: unknown) => fault);
    let sent = 0;
    const deferred = { defer: async () => void sent++, handOver: async () => undefined };
    expect(await renew(message, { receiveCount: 5 }, met, { deferred, clock: { now: () => 60_000 } })).toBe(true);
    expect(sent).toBe(1);
  });

  test('is an outage for cards, and told to operators with what to look at', () => {
    expect(isOutage(error)).toBe(true);
    if (name !== 'DecryptionFailure') expect(faultOf(error).text).toBe(error.message);
    expect(reasonOf(error)).toMatch(
      /; is the KMS key enabled, and does its policy let your role and the gate use it\?/,
    );
  });
});

const refusing = <Client>(error: Error): Client => ({ send: () => Promise.reject(error) }) as Client;

test('no row and no object is taken for one that is not there', async () => {
  const tables = { state: 'state', audit: 'audit' };
  await expect(dynamoControlStore(refusing<DynamoDBClient>(OF_DYNAMODB), tables).read()).rejects.toBe(OF_DYNAMODB);
  await expect(s3InputStore(refusing<S3Client>(OF_S3), 'inputs').get('a'.repeat(64))).rejects.toBe(OF_S3);
});

test('no wait is taken for one that is over', async () => {
  await expect(stepFunctionsWaits(refusing<SFNClient>(OF_WORKFLOW)).completeWait('token')).rejects.toBe(OF_WORKFLOW);
});

test('an agent whose own queue has a key that is off is left alone in time, and not where KMS is too slow', async () => {
  const sender = (error: Error) =>
    sqsReplySender(
      () => Promise.reject(error),
      async () => 'https://sqs/own',
      () => undefined,
    ).send('coder', { calls: [] } as never);
  await expect(sender(refusal('KmsDisabled', 'off'))).rejects.toMatchObject({ name: 'ReplyRefusedError' });
  await expect(sender(refusal('KmsThrottled', 'slow'))).rejects.toMatchObject({ name: 'KmsThrottled' });
});
