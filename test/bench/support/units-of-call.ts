/** Computes DynamoDB's bill for a call from the items before and after it, with an uncounted client. */
import {
  type BatchGetItemCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  type QueryCommandInput,
  type QueryCommandOutput,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Tables } from '../../../shared/adapters/dynamodb/items.ts';
import { LOOK_ATTRIBUTES } from '../../../shared/adapters/dynamodb/reconcile-index.ts';
import { type IndexShape, indexUnits, itemBytes, readUnits, type StoredItem, writeUnits } from './dynamo-units.ts';
import { sum } from './stats.ts';

export interface Billed {
  readonly reads: number;
  /** Writes of the decision: rows of the state table with their index, the claim and the decided row. */
  readonly writes: number;
  /** Writes of the record only: votes and refusals, and the index that its readers need. */
  readonly recordWrites: number;
  /** Named by their kind: `audit evaluated`, `state approval# row`. */
  readonly items: readonly Written[];
}

interface Written {
  readonly what: string;
  readonly bytes: number;
  /** Units of the item itself: two for each KB in a transaction. */
  readonly units: number;
  /** Units of its copies in indexes. */
  readonly indexUnits: number;
}

export const NOTHING_BILLED: Billed = { reads: 0, writes: 0, recordWrites: 0, items: [] };

/** Called before the request; what it returns is called with the output, or with undefined if the request failed. */
export type UnitsOf = (operation: string, input: object) => Promise<(output: object | undefined) => Promise<Billed>>;

interface Target {
  readonly table: string;
  readonly key: StoredItem;
}

const DUE: IndexShape = { partition: 'due', sort: 'dueAt', attributes: 'all' };
const LOOK: IndexShape = { partition: 'look', sort: 'lookAt', attributes: LOOK_ATTRIBUTES };
/** Sorts of the audit table that are the decision itself (A6, A8). */
const DECISIONS: ReadonlySet<string> = new Set(['evaluated', 'decided']);
const BY_AGENT: IndexShape = { partition: 'agent', sort: 'at', attributes: [] };
const BY_FACET: IndexShape = { partition: 'agent', sort: 'facet', attributes: ['session', 'waited'] };

export function unitsOfCalls(plain: DynamoDBClient, tables: Tables): UnitsOf {
  const look = async ({ table, key }: Target): Promise<StoredItem | undefined> =>
    (await plain.send(new GetItemCommand({ TableName: table, Key: { ...key }, ConsistentRead: true }))).Item;

  return async (operation, input) => {
    const written = writesOf(operation, input);
    if (!written.length) return (output) => reading(operation, input, output);
    const before = await Promise.all(written.map(look));
    return async () => {
      const after = await Promise.all(written.map(look));
      const each = written.map((target, index) => billOf(target, before[index], after[index], operation));
      const total = (name: 'writes' | 'recordWrites') => each.reduce((all, one) => all + one[name], 0);
      return { reads: 0, writes: total('writes'), recordWrites: total('recordWrites'), items: each };
    };
  };

  function billOf({ table, key }: Target, was: StoredItem | undefined, is: StoredItem | undefined, operation: string) {
    const units = writeUnits(was, is) * (operation === 'TransactWriteItems' ? 2 : 1);
    const indexes = table === tables.audit ? [BY_AGENT, BY_FACET] : [DUE, LOOK];
    const index = sum(indexes.map((shape) => indexUnits(shape, was, is)));
    const what = `${table === tables.audit ? 'audit' : 'state'} ${nameOf(key)}`;
    const item: Written = { what, bytes: itemBytes(is), units, indexUnits: index };
    if (table !== tables.audit) return { ...item, writes: units + index, recordWrites: 0 };
    const decides = DECISIONS.has(key['sk']?.S ?? '');
    return { ...item, writes: decides ? units : 0, recordWrites: decides ? index : units + index };
  }

  async function reading(operation: string, input: object, output: object | undefined): Promise<Billed> {
    if (operation === 'Query') {
      const { ConsistentRead = false } = input as QueryCommandInput;
      const units = readUnits((output as QueryCommandOutput).Items ?? []);
      return { ...NOTHING_BILLED, reads: ConsistentRead ? units : units / 2 };
    }
    const found = await Promise.all(
      readsOf(operation, input).map(async ({ isConsistent, ...target }) => {
        const units = readUnits([await look(target)]);
        return isConsistent ? units : units / 2;
      }),
    );
    return { ...NOTHING_BILLED, reads: sum(found) };
  }
}

function writesOf(operation: string, input: object): Target[] {
  if (operation === 'TransactWriteItems') {
    return ((input as TransactWriteItemsCommandInput).TransactItems ?? []).flatMap(({ Put, Update }) => [
      ...(Put ? writesOf('PutItem', Put) : []),
      ...(Update ? writesOf('UpdateItem', Update) : []),
    ]);
  }
  const {
    TableName: table = '',
    Item: item,
    Key: key = item,
  } = input as { TableName?: string; Item?: StoredItem; Key?: StoredItem };
  return (operation === 'PutItem' || operation === 'UpdateItem') && key ? [{ table, key: keyOf(key) }] : [];
}

/** A read that is not consistent costs half. */
function readsOf(operation: string, input: object): (Target & { readonly isConsistent: boolean })[] {
  if (operation === 'GetItem') {
    const { TableName: table = '', Key: key = {}, ConsistentRead: isConsistent = false } = input as GetItemCommandInput;
    return [{ table, key, isConsistent }];
  }
  if (operation !== 'BatchGetItem') return [];
  const { RequestItems = {} } = input as BatchGetItemCommandInput;
  return Object.entries(RequestItems).flatMap(([table, { Keys = [], ConsistentRead: isConsistent = false }]) =>
    Keys.map((key) => ({ table, key, isConsistent })),
  );
}

const keyOf = ({ pk, sk }: StoredItem): StoredItem => ({ ...(pk ? { pk } : {}), ...(sk ? { sk } : {}) });

/** The row type of a key, without the ids in it. */
function nameOf({ pk, sk }: StoredItem): string {
  const type = /^[a-z]+#/.exec(pk?.S ?? '')?.[0] ?? '';
  const sort = (sk?.S ?? '').replace(/#.*/, '');
  // A row of a like call that was decided has its time as its sort.
  if (type === 'earlier#') return type;
  return ['approval#', 'journal#', 'token#', 'waiting#', 'rate#'].includes(type) ? `${type} ${sort}` : sort;
}
