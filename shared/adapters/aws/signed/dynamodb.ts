/** Takes the place of the SDK's package for DynamoDB in bundles. */
import type {
  AttributeValue,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  CancellationReason,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { SignedClient } from './client.ts';
import { commandOf } from './command.ts';
import { ServiceException } from './exception.ts';
import type { Service } from './service.ts';
import type { SignedClientOptions } from './settings.ts';

export class ConditionalCheckFailedException extends ServiceException {
  /** The row that the condition met, where the request asked for it. */
  readonly Item?: Readonly<Record<string, AttributeValue>>;
}

export class TransactionCanceledException extends ServiceException {
  /** One for each write, in their order. */
  readonly CancellationReasons?: readonly CancellationReason[];
}

export class TransactionConflictException extends ServiceException {}

export const DYNAMODB: Service = {
  host: 'dynamodb',
  operations: { target: 'DynamoDB_20120810', jsonVersion: '1.0', once: new Set(['TransactWriteItems']) },
  endpointVariable: 'AWS_ENDPOINT_URL_DYNAMODB',
  bytes: new Set(['B', 'BS']),
  times: new Set(),
  errors: { ConditionalCheckFailedException, TransactionCanceledException, TransactionConflictException },
  baseDelayMs: 25,
  async sdkConfig() {
    const { DynamoDBClient: Client } = await import('./sdk/dynamodb.ts');
    return new Client({}).config;
  },
};

export class DynamoDBClient extends SignedClient {
  constructor(options: SignedClientOptions) {
    super(DYNAMODB, options);
  }
}

export const BatchGetItemCommand = commandOf<BatchGetItemCommandInput, BatchGetItemCommandOutput>('BatchGetItem');
export const GetItemCommand = commandOf<GetItemCommandInput, GetItemCommandOutput>('GetItem');
export const PutItemCommand = commandOf<PutItemCommandInput, PutItemCommandOutput>('PutItem');
export const QueryCommand = commandOf<QueryCommandInput, QueryCommandOutput>('Query');
export const TransactWriteItemsCommand = commandOf<TransactWriteItemsCommandInput, TransactWriteItemsCommandOutput>(
  'TransactWriteItems',
);
export const UpdateItemCommand = commandOf<UpdateItemCommandInput, UpdateItemCommandOutput>('UpdateItem');

interface Paging {
  readonly client: DynamoDBClient;
  readonly pageSize?: number;
}

export async function* paginateQuery(
  { client, pageSize }: Paging,
  input: QueryCommandInput,
): AsyncGenerator<QueryCommandOutput> {
  let { ExclusiveStartKey } = input;
  do {
    const command = new QueryCommand({ ...input, ExclusiveStartKey, Limit: input.Limit ?? pageSize });
    const page: QueryCommandOutput = await client.send(command);
    yield page;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}
