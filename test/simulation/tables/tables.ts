/**
 * Plays DynamoDB's tables in this process, in virtual time.
 *
 * Each request is atomic, and happens between two awaits. Indexes follow their table late, and reads that ask for no
 * consistency see what stood there before. The stores' contract holds it to the real endpoint's behaviour.
 */
import {
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  ConditionalCheckFailedException,
  type CreateTableCommandInput,
  type DeleteItemCommandInput,
  type GetItemCommandInput,
  type PutItemCommandInput,
  type QueryCommandInput,
  type QueryCommandOutput,
  TransactionCanceledException,
  type TransactWriteItemsCommandInput,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../shared/adapters/dynamodb/items.ts';
import { conditionOf, order, projectionOf, updateOf, ValidationError } from './expressions.ts';

/** The response is only a part: fewer items than were asked for, or a transaction that met another one. */
type Part = 'part';

interface Row {
  readonly item: Item | undefined;
  /** As it was before its last change. */
  readonly before: Item | undefined;
  readonly changedAt: number;
}

type Partitions = Map<string, Map<string, Item>>;

interface Index {
  readonly partition: string;
  readonly sort: string;
  /** Absent: all of them. */
  readonly attributes?: ReadonlySet<string>;
  readonly partitions: Partitions;
  /** Where a row stands in it, by its key in the table. */
  readonly places: Map<string, string>;
}

interface Table {
  /** By partition, then by sort key. */
  readonly rows: Map<string, Map<string, Row>>;
  readonly indexes: ReadonlyMap<string, Index>;
}

/** An item was written, or with `after` absent deleted. */
type Written = (table: string, before: Item | undefined, after: Item | undefined) => void;

interface Options {
  readonly now: () => number;
  /** How long an index, and a read without consistency, are behind, in milliseconds. */
  readonly behindMs: number;
  readonly after: (ms: number, work: () => void) => void;
  readonly onWrite?: Written;
}

/** A write of a request, by itself or in a transaction. */
interface Change {
  readonly table: string;
  readonly key: Item;
  readonly next: (item: Item | undefined) => Item | undefined;
  readonly holds: (item: Item | undefined) => boolean;
  readonly returnsOld: boolean;
}

const META = { $metadata: {} };
const MAX_TOGETHER = 100;

export class SimulatedTables {
  readonly #tables = new Map<string, Table>();
  readonly #options: Options;
  /** Tokens of the transactions that are done. */
  readonly #done = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** All items of a table, for eyes and judges. */
  *itemsOf(name: string): Generator<Item> {
    for (const rows of this.#table(name).rows.values()) for (const { item } of rows.values()) if (item) yield item;
  }

  /** Puts an item there from outside of the gate. */
  place(name: string, item: Item): void {
    this.#write(name, keyOf(item), item);
  }

  /** Deletes the rows whose time to live is over. */
  deleteExpired(name: string): void {
    const now = this.#options.now() / 1_000;
    for (const item of [...this.itemsOf(name)])
      if (Number(item['ttl']?.N ?? Number.POSITIVE_INFINITY) < now) this.#write(name, keyOf(item), undefined);
  }

  itemAt(name: string, key: Item): Item | undefined {
    return this.#rowAt(name, key)?.item;
  }

  CreateTable({ TableName = '', GlobalSecondaryIndexes = [] }: Partial<CreateTableCommandInput>) {
    const indexes = GlobalSecondaryIndexes.map(({ IndexName = '', KeySchema = [], Projection = {} }) => {
      const [partition = '', sort = ''] = ['HASH', 'RANGE'].map(
        (type) => KeySchema.find(({ KeyType }) => KeyType === type)?.AttributeName ?? '',
      );
      const { ProjectionType, NonKeyAttributes = [] } = Projection;
      const attributes = new Set(['pk', 'sk', partition, sort, ...NonKeyAttributes]);
      const index: Index = {
        partition,
        sort,
        ...(ProjectionType === 'ALL' ? {} : { attributes }),
        partitions: new Map(),
        places: new Map(),
      };
      return [IndexName, index] as const;
    });
    this.#tables.set(TableName, { rows: new Map(), indexes: new Map(indexes) });
    return META;
  }

  DescribeTable() {
    return { ...META, Table: { TableStatus: 'ACTIVE' as const } };
  }

  GetItem({ TableName = '', Key = {}, ...more }: GetItemCommandInput) {
    const item = this.#read(TableName, Key, more.ConsistentRead);
    return item ? { ...META, Item: projected(item, more) } : META;
  }

  PutItem({ TableName = '', Item: item = {}, ...more }: PutItemCommandInput) {
    this.#change(changeOf(TableName, item, () => item, more));
    return META;
  }

  UpdateItem({ TableName = '', Key = {}, ...more }: UpdateItemCommandInput) {
    this.#change(updateChange(TableName, Key, more));
    return META;
  }

  DeleteItem({ TableName = '', Key = {}, ...more }: DeleteItemCommandInput) {
    this.#change(changeOf(TableName, Key, () => undefined, more));
    return META;
  }

  BatchGetItem({ RequestItems = {} }: BatchGetItemCommandInput, part?: Part): BatchGetItemCommandOutput {
    const wanted = Object.entries(RequestItems);
    const keys = wanted.flatMap(([table, { Keys = [] }]) => Keys.map((key) => `${table} ${nameOf(key)}`));
    if (keys.length > MAX_TOGETHER) throw new ValidationError('too many keys in a batch');
    if (new Set(keys).size < keys.length) throw new ValidationError('a batch asks twice for a key');
    const found: NonNullable<BatchGetItemCommandOutput['Responses']> = {};
    const left: NonNullable<BatchGetItemCommandOutput['UnprocessedKeys']> = {};
    for (const [table, { Keys = [], ...more }] of wanted) {
      const [now, later] = part && Keys.length > 1 ? [Keys.slice(1), Keys.slice(0, 1)] : [Keys, []];
      found[table] = now.flatMap((key) => {
        const item = this.#read(table, key, more.ConsistentRead);
        return item ? [projected(item, more)] : [];
      });
      if (later.length) left[table] = { ...more, Keys: later };
    }
    return { ...META, Responses: found, UnprocessedKeys: left };
  }

  TransactWriteItems({ TransactItems = [], ClientRequestToken: token }: TransactWriteItemsCommandInput, part?: Part) {
    if (token !== undefined && this.#done.has(token)) return META;
    const changes = TransactItems.map(({ Put, Update, Delete, ...other }): Change => {
      if (Put) return changeOf(Put.TableName ?? '', Put.Item ?? {}, () => Put.Item, Put);
      if (Update) return updateChange(Update.TableName ?? '', Update.Key ?? {}, Update);
      if (Delete) return changeOf(Delete.TableName ?? '', Delete.Key ?? {}, () => undefined, Delete);
      throw new ValidationError(`no such write: ${Object.keys(other)}`);
    });
    const keys = changes.map(({ table, key }) => `${table} ${nameOf(key)}`);
    if (changes.length > MAX_TOGETHER) throw new ValidationError('too many writes in a transaction');
    if (new Set(keys).size < keys.length) throw new ValidationError('a transaction writes an item twice');
    const items = changes.map(({ table, key }) => this.itemAt(table, key));
    const reasons = changes.map(({ holds, returnsOld }, index) => {
      const item = items[index];
      if (!holds(item)) return { Code: 'ConditionalCheckFailed', ...(returnsOld && item ? { Item: item } : {}) };
      return { Code: part && index === 0 ? 'TransactionConflict' : 'None' };
    });
    if (reasons.some(({ Code }) => Code !== 'None'))
      throw new TransactionCanceledException({ message: 'cancelled', CancellationReasons: reasons, ...META });
    changes.forEach(({ table, key, next }, index) => void this.#write(table, key, next(items[index])));
    if (token !== undefined) this.#done.add(token);
    return META;
  }

  Query(input: QueryCommandInput, part?: Part): QueryCommandOutput {
    const { TableName = '', IndexName, KeyConditionExpression = '', ExpressionAttributeValues: values = {} } = input;
    const index = IndexName === undefined ? undefined : this.#indexOf(TableName, IndexName);
    const [, partition = ''] = /^#?\w+ = (:\w+)/.exec(KeyConditionExpression) ?? [];
    const name = values[partition]?.S ?? '';
    const rows = index
      ? [...(index.partitions.get(name)?.values() ?? [])]
      : [...(this.#table(TableName).rows.get(name)?.values() ?? [])].flatMap((row) => {
          const item = this.#seen(row, input.ConsistentRead);
          return item ? [item] : [];
        });
    if (!rows.length) return { ...META, Items: [] };
    const holds = conditionOf(KeyConditionExpression, input.ExpressionAttributeNames);
    const sort = index?.sort ?? 'sk';
    const sign = input.ScanIndexForward === false ? -1 : 1;
    const sorted = rows
      .filter((row) => holds(row, values))
      .toSorted(
        (a, b) => sign * (order(a[sort], b[sort]) || order(a['sk'], b['sk']) || (order(a['pk'], b['pk']) ?? 0)),
      );
    const { ExclusiveStartKey: start } = input;
    const from = start ? sorted.findIndex((row) => nameOf(row) === nameOf(start)) + 1 : 0;
    const limit = Math.min(part ? 1 : Number.POSITIVE_INFINITY, input.Limit ?? Number.POSITIVE_INFINITY);
    const page = sorted.slice(from, Math.min(from + limit, sorted.length));
    const last = page.length === limit ? page.at(-1) : undefined;
    const filter = input.FilterExpression;
    const isWanted = filter === undefined ? undefined : conditionOf(filter, input.ExpressionAttributeNames);
    const Items = page.filter((row) => !isWanted || isWanted(row, values)).map((row) => projected(row, input));
    return { ...META, Items, ...(last ? { LastEvaluatedKey: keyOf(last) } : {}) };
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (!table) throw new Error(`there is no table ${name}`);
    return table;
  }

  #indexOf(table: string, name: string): Index {
    const index = this.#table(table).indexes.get(name);
    if (!index) throw new ValidationError(`${table} has no index ${name}`);
    return index;
  }

  #rowAt(table: string, key: Item): Row | undefined {
    return this.#table(table).rows.get(textOf(key['pk']))?.get(textOf(key['sk']));
  }

  #read(table: string, key: Item, isConsistent = false): Item | undefined {
    const row = this.#rowAt(table, key);
    return row && this.#seen(row, isConsistent);
  }

  #seen({ item, before, changedAt }: Row, isConsistent = false): Item | undefined {
    return isConsistent || this.#options.now() - changedAt >= this.#options.behindMs ? item : before;
  }

  #change({ table, key, holds, next, returnsOld }: Change): void {
    const item = this.itemAt(table, key);
    if (!holds(item))
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        ...(returnsOld && item ? { Item: item } : {}),
        ...META,
      });
    this.#write(table, key, next(item));
  }

  #write(name: string, key: Item, item: Item | undefined): void {
    const table = this.#table(name);
    const partition = textOf(key['pk']);
    const rows = table.rows.get(partition) ?? new Map<string, Row>();
    table.rows.set(partition, rows);
    const before = rows.get(textOf(key['sk']))?.item;
    rows.set(textOf(key['sk']), { item, before, changedAt: this.#options.now() });
    this.#options.onWrite?.(name, before, item);
    for (const index of table.indexes.values()) {
      const follow = () => placeIn(index, nameOf(key), item);
      if (this.#options.behindMs > 0) this.#options.after(this.#options.behindMs, follow);
      else follow();
    }
  }
}

/** A row without both keys of an index stands nowhere in it. */
function placeIn({ partition, sort, attributes, partitions, places }: Index, name: string, item: Item | undefined) {
  const old = places.get(name);
  if (old !== undefined) partitions.get(old)?.delete(name);
  places.delete(name);
  const place = item?.[partition]?.S;
  if (!item || place === undefined || item[sort] === undefined) return;
  const rows = partitions.get(place) ?? new Map<string, Item>();
  partitions.set(place, rows);
  const row = attributes ? Object.fromEntries(Object.entries(item).filter(([key]) => attributes.has(key))) : item;
  rows.set(name, row);
  places.set(name, place);
}

type Conditions = Pick<
  PutItemCommandInput,
  | 'ConditionExpression'
  | 'ExpressionAttributeNames'
  | 'ExpressionAttributeValues'
  | 'ReturnValuesOnConditionCheckFailure'
>;

function changeOf(table: string, key: Item, next: Change['next'], more: Conditions): Change {
  const { ConditionExpression: text, ExpressionAttributeNames: names, ExpressionAttributeValues: values = {} } = more;
  const holds = text === undefined ? undefined : conditionOf(text, names);
  return {
    table,
    key: keyOf(key),
    next,
    holds: (item) => holds?.(item, values) ?? true,
    returnsOld: more.ReturnValuesOnConditionCheckFailure === 'ALL_OLD',
  };
}

function updateChange(
  table: string,
  key: Item,
  more: Conditions & Pick<UpdateItemCommandInput, 'UpdateExpression'>,
): Change {
  const update = updateOf(more.UpdateExpression ?? '', more.ExpressionAttributeNames);
  const next = (item: Item | undefined) => update(item ?? keyOf(key), more.ExpressionAttributeValues ?? {});
  return changeOf(table, key, next, more);
}

function projected(
  item: Item,
  {
    ProjectionExpression: text,
    ExpressionAttributeNames: names,
  }: Pick<GetItemCommandInput, 'ProjectionExpression' | 'ExpressionAttributeNames'>,
): Item {
  if (text === undefined) return { ...item };
  const wanted = projectionOf(text, names);
  return Object.fromEntries(wanted.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}

const textOf = (value: Item[string] | undefined): string => value?.S ?? '';
const keyOf = ({ pk, sk }: Item): Item => ({ ...(pk ? { pk } : {}), ...(sk ? { sk } : {}) });
const nameOf = (item: Item): string => `${textOf(item['pk'])}\n${textOf(item['sk'])}`;
