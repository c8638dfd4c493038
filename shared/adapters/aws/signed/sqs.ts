/** Takes the place of the SDK's package for SQS in bundles. */
import { createHash } from 'node:crypto';
import type {
  ChangeMessageVisibilityBatchCommandInput,
  ChangeMessageVisibilityBatchCommandOutput,
  ChangeMessageVisibilityCommandInput,
  ChangeMessageVisibilityCommandOutput,
  DeleteMessageBatchCommandInput,
  DeleteMessageBatchCommandOutput,
  GetQueueAttributesCommandInput,
  GetQueueAttributesCommandOutput,
  ReceiveMessageCommandInput,
  ReceiveMessageCommandOutput,
  SendMessageBatchCommandInput,
  SendMessageBatchCommandOutput,
  SendMessageCommandInput,
  SendMessageCommandOutput,
} from '@aws-sdk/client-sqs';
import { SignedClient } from './client.ts';
import { commandOf } from './command.ts';
import type { Service } from './service.ts';
import type { SignedClientOptions } from './settings.ts';

/** Codes of the earlier protocol whose errors have another name now. */
const CODES = {
  'AWS.SimpleQueueService.BatchEntryIdsNotDistinct': 'BatchEntryIdsNotDistinct',
  'AWS.SimpleQueueService.BatchRequestTooLong': 'BatchRequestTooLong',
  'AWS.SimpleQueueService.EmptyBatchRequest': 'EmptyBatchRequest',
  'AWS.SimpleQueueService.InvalidBatchEntryId': 'InvalidBatchEntryId',
  'AWS.SimpleQueueService.MessageNotInflight': 'MessageNotInflight',
  'AWS.SimpleQueueService.NonExistentQueue': 'QueueDoesNotExist',
  'AWS.SimpleQueueService.PurgeQueueInProgress': 'PurgeQueueInProgress',
  'AWS.SimpleQueueService.QueueDeletedRecently': 'QueueDeletedRecently',
  'AWS.SimpleQueueService.TooManyEntriesInBatchRequest': 'TooManyEntriesInBatchRequest',
  'AWS.SimpleQueueService.UnsupportedOperation': 'UnsupportedOperation',
  'KMS.AccessDeniedException': 'KmsAccessDenied',
  'KMS.DisabledException': 'KmsDisabled',
  'KMS.InvalidKeyUsageException': 'KmsInvalidKeyUsage',
  'KMS.InvalidStateException': 'KmsInvalidState',
  'KMS.NotFoundException': 'KmsNotFound',
  'KMS.OptInRequired': 'KmsOptInRequired',
  'KMS.ThrottlingException': 'KmsThrottled',
  QueueAlreadyExists: 'QueueNameExists',
} as const;

export const SQS: Service = {
  host: 'sqs',
  operations: { target: 'AmazonSQS', jsonVersion: '1.0' },
  endpointVariable: 'AWS_ENDPOINT_URL_SQS',
  bytes: new Set(['BinaryValue', 'BinaryListValues']),
  times: new Set(),
  errors: {},
  baseDelayMs: 50,
  async sdkConfig() {
    const { SQSClient: Client } = await import('./sdk/sqs.ts');
    return new Client({}).config;
  },
  queues: { codes: new Map(Object.entries(CODES)), polls: new Set(['ReceiveMessage']), endpointOf, check },
};

/** A queue's address names its host, which may be in another region than this process. */
function endpointOf({ QueueUrl }: { readonly QueueUrl?: unknown }): URL | undefined {
  return typeof QueueUrl === 'string' && URL.canParse(QueueUrl) ? new URL(new URL(QueueUrl).origin) : undefined;
}

interface Checked {
  readonly MessageBody?: string;
  readonly Entries?: SendMessageBatchCommandInput['Entries'];
  readonly MD5OfMessageBody?: string;
  readonly Successful?: SendMessageBatchCommandOutput['Successful'];
  readonly Messages?: ReceiveMessageCommandOutput['Messages'];
}

/** Compares the digests of bodies as the SDK does. */
function check(operation: string, { MessageBody, Entries = [] }: Checked, output: Checked): void {
  if (operation === 'SendMessage' && output.MD5OfMessageBody !== md5(MessageBody))
    throw new Error('InvalidChecksumError');
  const bodies = new Map(Entries.map((entry) => [entry.Id, entry.MessageBody]));
  const { Successful = [], Messages = [] } = output;
  const wrong = [
    ...(operation === 'SendMessageBatch' ? Successful : []).filter(
      ({ Id, MD5OfMessageBody }) => bodies.has(Id) && MD5OfMessageBody !== md5(bodies.get(Id)),
    ),
    ...(operation === 'ReceiveMessage' ? Messages : []).filter(({ Body, MD5OfBody }) => MD5OfBody !== md5(Body)),
  ];
  if (wrong.length)
    throw new Error(`Invalid MD5 checksum on messages: ${wrong.map(({ MessageId }) => MessageId).join(', ')}`);
}

const md5 = (body = ''): string => createHash('md5').update(body).digest('hex');

export class SQSClient extends SignedClient {
  constructor(options: SignedClientOptions) {
    super(SQS, options);
  }
}

export const ChangeMessageVisibilityBatchCommand = commandOf<
  ChangeMessageVisibilityBatchCommandInput,
  ChangeMessageVisibilityBatchCommandOutput
>('ChangeMessageVisibilityBatch');
export const ChangeMessageVisibilityCommand = commandOf<
  ChangeMessageVisibilityCommandInput,
  ChangeMessageVisibilityCommandOutput
>('ChangeMessageVisibility');
export const DeleteMessageBatchCommand = commandOf<DeleteMessageBatchCommandInput, DeleteMessageBatchCommandOutput>(
  'DeleteMessageBatch',
);
export const GetQueueAttributesCommand = commandOf<GetQueueAttributesCommandInput, GetQueueAttributesCommandOutput>(
  'GetQueueAttributes',
);
export const ReceiveMessageCommand = commandOf<ReceiveMessageCommandInput, ReceiveMessageCommandOutput>(
  'ReceiveMessage',
);
export const SendMessageBatchCommand = commandOf<SendMessageBatchCommandInput, SendMessageBatchCommandOutput>(
  'SendMessageBatch',
);
export const SendMessageCommand = commandOf<SendMessageCommandInput, SendMessageCommandOutput>('SendMessage');
