/** Maps a failure of DynamoDB to the error that the SDK would throw: the same names and fields. */
import type { AttributeValue, CancellationReason } from '@aws-sdk/client-dynamodb';
import { fromWire } from './wire.ts';

export interface Metadata {
  readonly httpStatusCode: number;
  readonly requestId: string | undefined;
  attempts?: number;
  /** The request was refused for the time of its signature, which later signatures correct. */
  clockSkewCorrected?: boolean;
}

/** Any error that DynamoDB answers with; `name` is the service's code. */
export class DynamoDBServiceException extends Error {
  readonly $fault: 'client' | 'server';
  readonly $metadata: Metadata;

  constructor(name: string, message: string, $metadata: Metadata) {
    super(message);
    this.name = name;
    this.$fault = $metadata.httpStatusCode < 500 ? 'client' : 'server';
    this.$metadata = $metadata;
  }
}

export class ConditionalCheckFailedException extends DynamoDBServiceException {
  /** The row that the condition met, where the request asked for it. */
  readonly Item?: Readonly<Record<string, AttributeValue>>;
}

export class TransactionCanceledException extends DynamoDBServiceException {
  /** One for each write, in their order. */
  readonly CancellationReasons?: readonly CancellationReason[];
}

export class TransactionConflictException extends DynamoDBServiceException {}

const CLASSES: ReadonlyMap<string, typeof DynamoDBServiceException> = new Map(
  Object.entries({ ConditionalCheckFailedException, TransactionCanceledException, TransactionConflictException }),
);

export function errorOf(
  text: string,
  headers: Readonly<Record<string, string>>,
  metadata: Metadata,
): DynamoDBServiceException {
  const { __type: type, message, Message, ...fields } = bodyIn(text);
  const name = codeIn(type) ?? codeIn(headers['x-amzn-errortype']) ?? 'Unknown';
  const words = [message, Message].find((each) => typeof each === 'string') ?? 'UnknownError';
  return Object.assign(new (CLASSES.get(name) ?? DynamoDBServiceException)(name, words as string, metadata), fields);
}

/** A proxy's answer may be no JSON; the status still tells whether another try may help. */
function bodyIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return fromWire(text);
  } catch {
    return {};
  }
}

/** `Code` of `com.amazonaws.dynamodb.v20120810#Code:http://…`. */
function codeIn(stated: unknown): string | undefined {
  if (typeof stated !== 'string') return undefined;
  return /^(?:[^#,:]*#)?(\w+)/.exec(stated)?.[1];
}
