/** Takes the place of the SDK's package in bundles: the names that the adapters import from it. */
export { DynamoDBClient } from './client.ts';
export {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from './commands.ts';
export {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
} from './errors.ts';
export { paginateQuery } from './pages.ts';
