/** Writes rows of guardrails one conditional write at a time; a failure brings the row as it is. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { ownValue } from '../../../domain/own.ts';
import { fromItem, type Item, toItem } from '../items.ts';

export interface GuardrailTable {
  readonly client: DynamoDBClient;
  /** Has `pk`, `sk` and the time-to-live attribute `ttl`. */
  readonly table: string;
  /** The one clock of all processes: see `serverClock`. */
  readonly now: () => number;
}

/** Tries of one decision; whoever is overtaken more often is refused, which is the safe side. */
export const MAX_TRIES = 3;

const DAY_SECONDS = 86_400;

/** Time-to-live of a row whose last use is at `ms`: a day later, in seconds. Every expiry is compared on read all the same. */
export const dayAfter = (ms: number): number => Math.ceil(ms / 1000) + DAY_SECONDS;

export interface Update {
  readonly set?: string;
  readonly rest?: string;
  readonly condition: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

type Written =
  | { readonly done: true; readonly row: Record<string, unknown> }
  /** The row that the condition met; absent if there is none. */
  | { readonly done: false; readonly row: Record<string, unknown> | undefined };

export const rowKey = (pk: string, sk: string): Item => toItem({ pk, sk });

export async function update({ client, table }: GuardrailTable, key: Item, change: Update): Promise<Written> {
  const { set, rest, condition, names, values } = change;
  const input: UpdateItemCommandInput = {
    TableName: table,
    Key: key,
    UpdateExpression: [...(set ? [`SET ${set}`] : []), ...(rest ? [rest] : [])].join(' '),
    ConditionExpression: condition,
    ...(names ? { ExpressionAttributeNames: { ...names } } : {}),
    ExpressionAttributeValues: toItem({ ...values }),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  return conditional(async () => (await client.send(new UpdateItemCommand(input))).Attributes);
}

/** Turns a condition that did not hold into a value. Every other error means that the store is down. */
async function conditional(write: () => Promise<Item | undefined>): Promise<Written> {
  try {
    const item = await write();
    return { done: true, row: item ? fromItem(item) : {} };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { done: false, row: error.Item && fromItem(error.Item) };
  }
}

export function numberIn(row: Record<string, unknown> | undefined, name: string): number | undefined {
  const value = ownValue(row, name);
  return typeof value === 'number' ? value : undefined;
}
