/** Checks that the small clients of AWS send, read and fail as the SDK's do. */
import * as eventbridge from '@aws-sdk/client-eventbridge';
import * as kms from '@aws-sdk/client-kms';
import * as secrets from '@aws-sdk/client-secrets-manager';
import * as sfn from '@aws-sdk/client-sfn';
import * as sqs from '@aws-sdk/client-sqs';
import * as ssm from '@aws-sdk/client-ssm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as signedEventbridge from '../../../../../shared/adapters/aws/signed/eventbridge.ts';
import * as signedKms from '../../../../../shared/adapters/aws/signed/kms.ts';
import * as signedSecrets from '../../../../../shared/adapters/aws/signed/secrets-manager.ts';
import * as signedSqs from '../../../../../shared/adapters/aws/signed/sqs.ts';
import * as signedSsm from '../../../../../shared/adapters/aws/signed/ssm.ts';
import * as signedSfn from '../../../../../shared/adapters/aws/signed/step-functions.ts';
import { type Answer, OPTIONS, Wire } from './wire.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The part of a client that both have. */
interface Sends {
  send(command: never): Promise<object>;
}
type Names = Readonly<Record<string, new (given: never) => object>>;

interface Case {
  readonly service: string;
  /** The part of the environment variable for its endpoint that names it. */
  readonly variable: string;
  readonly client: string;
  readonly ours: object;
  readonly theirs: object;
  readonly calls: readonly (readonly [command: string, input: object, answer: string])[];
  /** Errors that the service names. */
  readonly errors: readonly string[];
}

const QUEUE = 'http://127.0.0.1:9/000000000000/queue';
const md5 = (letter: 'a' | 'b') =>
  ({ a: '0cc175b9c0f1b6a831c399e269772661', b: '92eb5ffee6ae2fec3ad71c777531578f' })[letter];

const CASES: readonly Case[] = [
  {
    service: 'events',
    variable: 'EVENTBRIDGE',
    client: 'EventBridgeClient',
    ours: signedEventbridge,
    theirs: eventbridge,
    calls: [
      [
        'PutEventsCommand',
        {
          Entries: [
            { EventBusName: 'b', Source: 's', DetailType: 'd', Detail: '{"a":"é"}', Time: new Date(1_764_000_000_123) },
          ],
        },
        '{"FailedEntryCount":1,"Entries":[{"EventId":"e"},{"ErrorCode":"InternalFailure","ErrorMessage":"m"}]}',
      ],
    ],
    errors: ['LimitExceededException', 'ResourceNotFoundException', 'ValidationException'],
  },
  {
    service: 'kms',
    variable: 'KMS',
    client: 'KMSClient',
    ours: signedKms,
    theirs: kms,
    calls: [
      [
        'DecryptCommand',
        { KeyId: 'k', CiphertextBlob: Uint8Array.of(1, 255), EncryptionContext: { CiphertextBlob: 'x' } },
        '{"KeyId":"k","Plaintext":"AP8="}',
      ],
      [
        'GenerateDataKeyCommand',
        { KeyId: 'k', KeySpec: 'AES_256' },
        '{"KeyId":"k","Plaintext":"AP8=","CiphertextBlob":"AQ=="}',
      ],
      ['GetPublicKeyCommand', { KeyId: 'k' }, '{"KeyId":"k","PublicKey":"MFk=","SigningAlgorithms":["ECDSA_SHA_256"]}'],
      [
        'SignCommand',
        { KeyId: 'k', Message: Buffer.from('m'), MessageType: 'RAW', SigningAlgorithm: 'ECDSA_SHA_256' },
        '{"KeyId":"k","Signature":"MEU="}',
      ],
    ],
    errors: ['DisabledException', 'NotFoundException', 'KMSInvalidStateException', 'InvalidCiphertextException'],
  },
  {
    service: 'secretsmanager',
    variable: 'SECRETS_MANAGER',
    client: 'SecretsManagerClient',
    ours: signedSecrets,
    theirs: secrets,
    calls: [
      [
        'GetSecretValueCommand',
        { SecretId: 's' },
        '{"ARN":"a","Name":"s","SecretString":"{\\"CreatedDate\\":1}","CreatedDate":1764000000.5,"VersionStages":["AWSCURRENT"]}',
      ],
      ['GetSecretValueCommand', { SecretId: 's' }, '{"SecretBinary":"AP8="}'],
    ],
    errors: ['ResourceNotFoundException', 'DecryptionFailure', 'InvalidRequestException'],
  },
  {
    service: 'states',
    variable: 'SFN',
    client: 'SFNClient',
    ours: signedSfn,
    theirs: sfn,
    calls: [
      ['SendTaskSuccessCommand', { taskToken: 't', output: '{"decided":false}' }, '{}'],
      ['SendTaskSuccessCommand', { taskToken: 't', output: '{}' }, ''],
      ['SendTaskFailureCommand', { taskToken: 't', error: 'AlreadyDecided' }, '{}'],
      [
        'StartExecutionCommand',
        { stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:m', name: 'n', input: '{}' },
        '{"executionArn":"e","startDate":1764000000.25}',
      ],
    ],
    errors: ['ExecutionAlreadyExists', 'InvalidToken', 'TaskDoesNotExist', 'TaskTimedOut', 'StateMachineDeleting'],
  },
  {
    service: 'sqs',
    variable: 'SQS',
    client: 'SQSClient',
    ours: signedSqs,
    theirs: sqs,
    calls: [
      [
        'SendMessageCommand',
        {
          QueueUrl: QUEUE,
          MessageBody: 'a',
          MessageGroupId: 'g',
          MessageAttributes: {
            sentAt: { DataType: 'Number', StringValue: '1' },
            BinaryValue: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255) },
          },
        },
        `{"MessageId":"1","MD5OfMessageBody":"${md5('a')}"}`,
      ],
      [
        'SendMessageBatchCommand',
        {
          QueueUrl: QUEUE,
          Entries: [
            { Id: '0', MessageBody: 'a' },
            { Id: '1', MessageBody: 'b' },
          ],
        },
        `{"Successful":[{"Id":"1","MessageId":"m","MD5OfMessageBody":"${md5('b')}"}],"Failed":[{"Id":"0","Code":"c","SenderFault":true}]}`,
      ],
      [
        'ReceiveMessageCommand',
        {
          QueueUrl: QUEUE,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 2,
          MessageSystemAttributeNames: ['MessageGroupId'],
        },
        `{"Messages":[{"MessageId":"m","ReceiptHandle":"r","Body":"a","MD5OfBody":"${md5('a')}","Attributes":{"MessageGroupId":"g"},"MessageAttributes":{"n":{"DataType":"Binary","BinaryValue":"AP8="}}}]}`,
      ],
      ['ReceiveMessageCommand', { QueueUrl: QUEUE }, '{}'],
      [
        'DeleteMessageBatchCommand',
        { QueueUrl: QUEUE, Entries: [{ Id: '0', ReceiptHandle: 'r' }] },
        '{"Successful":[{"Id":"0"}],"Failed":[]}',
      ],
      ['ChangeMessageVisibilityCommand', { QueueUrl: QUEUE, ReceiptHandle: 'r', VisibilityTimeout: 4 }, '{}'],
      [
        'ChangeMessageVisibilityBatchCommand',
        { QueueUrl: QUEUE, Entries: [{ Id: '0', ReceiptHandle: 'r', VisibilityTimeout: 4 }] },
        '{"Successful":[{"Id":"0"}]}',
      ],
      [
        'GetQueueAttributesCommand',
        { QueueUrl: QUEUE, AttributeNames: ['ApproximateNumberOfMessages'] },
        '{"Attributes":{"ApproximateNumberOfMessages":"3"}}',
      ],
    ],
    errors: ['QueueDoesNotExist', 'BatchRequestTooLong', 'RequestThrottled', 'OverLimit', 'KmsThrottled'],
  },
  {
    service: 'ssm',
    variable: 'SSM',
    client: 'SSMClient',
    ours: signedSsm,
    theirs: ssm,
    calls: [
      [
        'GetParametersByPathCommand',
        { Path: '/p', Recursive: true },
        '{"Parameters":[{"Name":"/p/a","Value":"{\\"LastModifiedDate\\":1}","LastModifiedDate":1764000000.5,"Version":2}]}',
      ],
    ],
    errors: ['InvalidKeyId', 'InvalidNextToken'],
  },
];

const clientOf = ({ client, ...sides }: Case, side: 'ours' | 'theirs', options: object) =>
  new ((sides[side] as Names)[client] as new (given: object) => Sends)(options);

function sent(
  given: Case,
  side: 'ours' | 'theirs',
  [command, input]: readonly [string, object, ...unknown[]],
  options: object,
) {
  const Command = (given[side] as Names)[command] as new (given: object) => object;
  return clientOf(given, side, options).send(new Command(input) as never);
}

const both = async <Value>(of: (side: 'ours' | 'theirs') => Promise<Value>) => [await of('ours'), await of('theirs')];

const withoutMetadata = ({ $metadata: _, ...rest }: object & { readonly $metadata?: unknown }) => rest;

async function failureOf(promise: Promise<unknown>): Promise<object> {
  const error = (await promise.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  )) as Error & { readonly $fault?: string; readonly $metadata?: Readonly<Record<string, unknown>> };
  const { httpStatusCode, requestId, attempts } = error.$metadata ?? {};
  return { name: error.name, message: error.message, $fault: error.$fault, httpStatusCode, requestId, attempts };
}

describe.each(CASES)('$service', (given) => {
  test('a request is written as the SDK writes it, and its answer read as the SDK reads it', async () => {
    for (const call of given.calls) {
      const [mine, other] = await both(async (side) => {
        const wire = new Wire({ body: call[2] });
        const output = withoutMetadata(await sent(given, side, call, { ...OPTIONS, requestHandler: wire }));
        const [request] = wire.requests;
        const {
          host,
          ['content-type']: type,
          ['x-amz-target']: target,
          ['x-amzn-query-mode']: mode,
        } = request?.headers ?? {};
        const { method, protocol, hostname, port, path, headers } = request ?? {};
        const scope = /Credential=AKIDEXAMPLE\/\d{8}\/([^,]*),/.exec(String(headers?.['authorization']))?.[1];
        const body = JSON.parse(String(request?.body));
        return { output, body, method, protocol, hostname, port, path, host, type, target, mode, scope };
      });
      expect(mine).toEqual(other);
      expect(mine?.scope).toBe(`us-east-1/${given.service}/aws4_request`);
    }
  });

  test('the endpoint of the service in the environment is the SDK’s', async () => {
    // The SDK warns of a queue elsewhere.
    vi.spyOn(console, 'warn').mockReturnValue();
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:9');
    vi.stubEnv(`AWS_ENDPOINT_URL_${given.variable}`, 'http://127.0.0.1:9999');
    const [call] = given.calls;
    if (!call) return;
    const [mine, other] = await both(async (side) => {
      const wire = new Wire({ body: call[2] });
      await sent(given, side, call, { requestHandler: wire });
      return wire.requests[0]?.port;
    });
    expect(mine).toBe(other);
    // A queue's address has the last word.
    expect(mine).toBe(given.service === 'sqs' ? 9 : 9999);
  });

  test.each([
    ...given.errors.map((name): readonly [string, Answer] => [
      name,
      { status: 400, headers: { 'x-amzn-requestid': 'R1' }, body: `{"__type":"${name}","message":"no"}` },
    ]),
    [
      'a refused right',
      { status: 400, body: '{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"not authorized"}' },
    ],
    ['a fault of the service', { status: 500, body: '{"__type":"InternalFailure"}' }],
    [
      'a code in the header',
      { status: 400, headers: { 'x-amzn-errortype': 'ValidationException:http://x' }, body: '{"message":"no"}' },
    ],
  ] as readonly (readonly [string, Answer])[])('%s is the error that the SDK throws', async (_, answer) => {
    const [call] = given.calls;
    if (!call) return;
    // The pauses between tries take no time.
    vi.useFakeTimers().setTimerTickMode('nextTimerAsync');
    try {
      const [mine, other] = await both(async (side) => {
        const wire = new Wire(answer);
        const failure = await failureOf(sent(given, side, call, { ...OPTIONS, requestHandler: wire }));
        return { failure, tries: wire.requests.length };
      });
      expect(mine).toEqual(other);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('errors that adapters know are of the classes that they compare with', async () => {
  const { ExecutionAlreadyExists, InvalidToken, TaskDoesNotExist, TaskTimedOut } = signedSfn;
  for (const [name, made] of Object.entries({ ExecutionAlreadyExists, InvalidToken, TaskDoesNotExist, TaskTimedOut })) {
    const requestHandler = new Wire({ status: 400, body: `{"__type":"com.amazonaws.sfn#${name}"}` }) as never;
    const client = new signedSfn.SFNClient({ ...OPTIONS, requestHandler });
    const send = client.send(new signedSfn.SendTaskSuccessCommand({ taskToken: 't', output: '{}' }));
    await expect(send).rejects.toBeInstanceOf(made);
  }
});

test('parameters are read to the last page', async () => {
  const wire = new Wire(
    { body: '{"Parameters":[{"Name":"a"}],"NextToken":"n"}' },
    { body: '{"Parameters":[{"Name":"b"}]}' },
  );
  const client = new signedSsm.SSMClient({ ...OPTIONS, requestHandler: wire as never });
  const names: unknown[] = [];
  for await (const { Parameters = [] } of signedSsm.paginateGetParametersByPath({ client }, { Path: '/p' }))
    names.push(...Parameters.map(({ Name }) => Name));
  expect(names).toEqual(['a', 'b']);
  expect(wire.requests.map(({ body }) => JSON.parse(String(body)))).toEqual([
    { Path: '/p' },
    { Path: '/p', NextToken: 'n' },
  ]);
});
