/** Names the operations of DynamoDB that the gate's functions send, with the SDK's types. */
import type {
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
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

export interface DynamoCommand<Input extends object, Output> {
  /** Such as `GetItem`. */
  readonly operation: string;
  readonly input: Input;
  /** Absent at run time; binds the type of the answer to the command. */
  readonly output?: Output;
}

/** The class of an operation's commands. */
export const commandOf = <Input extends object, Output>(operation: string) =>
  class implements DynamoCommand<Input, Output> {
    declare readonly output?: Output;
    readonly operation = operation;
    readonly input: Input;

    constructor(input: Input) {
      this.input = input;
    }
  };

export const BatchGetItemCommand = commandOf<BatchGetItemCommandInput, BatchGetItemCommandOutput>('BatchGetItem');
export const DeleteItemCommand = commandOf<DeleteItemCommandInput, DeleteItemCommandOutput>('DeleteItem');
export const GetItemCommand = commandOf<GetItemCommandInput, GetItemCommandOutput>('GetItem');
export const PutItemCommand = commandOf<PutItemCommandInput, PutItemCommandOutput>('PutItem');
export const QueryCommand = commandOf<QueryCommandInput, QueryCommandOutput>('Query');
export const TransactWriteItemsCommand = commandOf<TransactWriteItemsCommandInput, TransactWriteItemsCommandOutput>(
  'TransactWriteItems',
);
export const UpdateItemCommand = commandOf<UpdateItemCommandInput, UpdateItemCommandOutput>('UpdateItem');
