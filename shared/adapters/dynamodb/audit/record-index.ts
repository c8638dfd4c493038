/**
 * Reads the indexes of the record: an agent's entries by time, or by facets, then by time.
 *
 * One small query for each combination of facets finds all combinations, each behind the one before.
 */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { byNewest, type EntryPosition } from '../../../domain/record/record-cursor.ts';
import { mayMatch, type WantedFacets } from '../../../domain/record/record-facets.ts';
import { AGENT_INDEX, FACET_INDEX, fromItem, type Item, toItem } from '../items.ts';

/** Beyond so many combinations the entries are read by time alone, and compared one by one. */
const MAX_COMBINATIONS = 2_000;
/** Keys of a page; a filter looks at many entries for each that it lets through, and has no limit. */
const PAGE = 100;

/** An entry as both indexes name it. */
export interface IndexedEntry extends EntryPosition {
  readonly key: Item;
}

/** The entries of an agent, or those of one combination of facets. */
export interface Source {
  readonly agent: string;
  /** The beginning of the key in `byFacet`; absent: the index by time. */
  readonly combination?: string;
}

/** Instants, both included. */
export interface Span {
  readonly since: string;
  readonly until: string;
}

export const FIRST = '0';
/** Behind every instant. */
export const LAST = '~';

interface Page {
  readonly items: readonly Item[];
  readonly last: Item | undefined;
}

export class RecordIndex {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Combinations of an agent's entries that may match; undefined: there are too many of them. */
  async combinations(agent: string, wanted: WantedFacets): Promise<string[] | undefined> {
    const found: string[] = [];
    const prefix = wanted.outcome === undefined ? '' : `${wanted.outcome}#`;
    let after = prefix || FIRST;
    for (let n = 0; n < MAX_COMBINATIONS; n++) {
      const facet = await this.#next(agent, after);
      if (facet === undefined || !facet.startsWith(prefix)) return found;
      const combination = facet.slice(0, facet.lastIndexOf('#'));
      if (mayMatch(combination, wanted)) found.push(combination);
      after = `${combination}#${LAST}`;
    }
    return undefined;
  }

  async #next(agent: string, after: string): Promise<string | undefined> {
    const { Items = [] } = await this.#client.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: FACET_INDEX,
        KeyConditionExpression: '#agent = :agent AND facet > :after',
        ExpressionAttributeNames: { '#agent': 'agent' },
        ExpressionAttributeValues: toItem({ ':agent': agent, ':after': after }),
        Limit: 1,
      }),
    );
    return Items[0]?.['facet']?.S;
  }

  /** Entries of a source, newest first; those of one instant are sorted, which the index does not. */
  async *entries(source: Source, span: Span, session?: string): AsyncGenerator<IndexedEntry> {
    let sameTime: IndexedEntry[] = [];
    for await (const item of this.items(source, span, session)) {
      const one = foundOf(item);
      if (sameTime[0] && sameTime[0].at !== one.at) {
        yield* sameTime.toSorted(byNewest);
        sameTime = [];
      }
      sameTime.push(one);
    }
    yield* sameTime.toSorted(byNewest);
  }

  /** Items of the index, newest first. */
  async *items(source: Source, span: Span, session?: string, limit: number | undefined = PAGE): AsyncGenerator<Item> {
    let last: Item | undefined;
    do {
      const page: Page = await this.#page(source, span, { session, limit, last });
      yield* page.items;
      last = page.last;
    } while (last);
  }

  async #page({ agent, combination }: Source, { since, until }: Span, more: PageOptions): Promise<Page> {
    const [index, sort, before] =
      combination === undefined ? [AGENT_INDEX, 'at', ''] : [FACET_INDEX, 'facet', `${combination}#`];
    // Keys alone stand in the index by time.
    const session = combination === undefined ? undefined : more.session;
    const { Items = [], LastEvaluatedKey } = await this.#client.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: index,
        KeyConditionExpression: '#agent = :agent AND #sort BETWEEN :since AND :until',
        ...(session === undefined ? {} : { FilterExpression: '#session = :session' }),
        ExpressionAttributeNames: {
          '#agent': 'agent',
          '#sort': sort,
          ...(session === undefined ? {} : { '#session': 'session' }),
        },
        ExpressionAttributeValues: toItem({
          ':agent': agent,
          ':since': before + since,
          ':until': before + until,
          ':session': session,
        }),
        ScanIndexForward: false,
        ...(session === undefined && more.limit !== Number.POSITIVE_INFINITY ? { Limit: more.limit } : {}),
        ...(more.last ? { ExclusiveStartKey: more.last } : {}),
      }),
    );
    return { items: Items, last: LastEvaluatedKey };
  }
}

interface PageOptions {
  readonly session: string | undefined;
  readonly limit: number | undefined;
  readonly last: Item | undefined;
}

function foundOf(item: Item): IndexedEntry {
  const { pk = '', sk = '', at, facet = '' } = fromItem(item) as Record<string, string | undefined>;
  const time = at ?? facet.slice(facet.lastIndexOf('#') + 1);
  return { at: time, id: `${pk.slice(pk.indexOf('/') + 1)}#${sk}`, key: toItem({ pk, sk }) };
}
