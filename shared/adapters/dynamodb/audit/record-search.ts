/**
 * Finds entries of the record by their facets: the newest of each combination, merged by time.
 *
 * Nothing is scanned; reads grow with the page and the number of combinations, not with the record.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { byNewest, cursorOf, readCursor } from '../../../domain/record/record-cursor.ts';
import { facetsOf, matches } from '../../../domain/record/record-facets.ts';
import {
  type AuditLog,
  type AuditRecord,
  type FacetCount,
  positionOf,
  type RecordQuery,
  type Unreadable,
} from '../../../ports/stores/audit-log.ts';
import type { Item } from '../items.ts';
import { FIRST, type IndexedEntry, LAST, RecordIndex, type Source, type Span } from './record-index.ts';

/** Queries at once. */
const TOGETHER = 16;
/** Keys of one batched read. */
const BATCH = 100;
/** Entries of one combination of facets that are read to find one that can be read. */
const MAX_SAMPLES = 20;

interface SearchDependencies {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Reads items by their keys, in any order, and leaves out what is no entry. */
  recordsAt(keys: readonly Item[], unreadable?: RecordQuery['unreadable']): Promise<readonly AuditRecord[]>;
}

export function recordSearch({ client, table, recordsAt }: SearchDependencies): Pick<AuditLog, 'find' | 'count'> {
  const index = new RecordIndex(client, table);

  const byFacets = async ({ agents, ...wanted }: Pick<RecordQuery, 'agents'> & Partial<RecordQuery>) => {
    const all = await eachOf(agents, async (agent): Promise<Source[]> => {
      const some = await index.combinations(agent, wanted);
      return some?.map((combination) => ({ agent, combination })) ?? [{ agent }];
    });
    return all.flat();
  };
  const sourcesOf = async (wanted: RecordQuery): Promise<Source[]> => {
    const { agents, outcome, tool, rule, person, session } = wanted;
    const isByTime = [outcome, tool, rule, person, session].every((one) => one === undefined);
    return isByTime ? agents.map((agent) => ({ agent })) : byFacets(wanted);
  };

  async function* merged(sources: readonly Source[], span: Span, session?: string): AsyncGenerator<IndexedEntry> {
    const streams = sources.map((source) => index.entries(source, span, session));
    const heads = await eachOf(streams, async (stream) => ({ stream, head: await stream.next() }));
    for (;;) {
      const [first, ...others] = heads.filter(({ head }) => !head.done);
      if (!first) return;
      const newest = others.reduce((best, one) => (byNewest(one.head.value, best.head.value) < 0 ? one : best), first);
      yield newest.head.value;
      newest.head = await newest.stream.next();
    }
  }

  /** The newest entry of a source that can be read: of those of one kind a newer release may have written the latest. */
  const sampleOf = async (source: Source, span: Span, unreadable: Unreadable | undefined) => {
    let looked = 0;
    for await (const { key } of index.entries(source, span)) {
      const [sample] = await recordsAt([key], unreadable);
      if (sample) return sample;
      if (++looked === MAX_SAMPLES) break;
    }
    return undefined;
  };

  return {
    async find(wanted) {
      const { limit, after, session } = wanted;
      const behind = after === undefined ? undefined : readCursor(after);
      const { since, until } = spanOf(wanted);
      const span = { since, until: behind && behind.at < until ? behind.at : until };
      const records: AuditRecord[] = [];
      let batch: IndexedEntry[] = [];
      const take = async () => {
        const keys = batch.map(({ key }) => key);
        const read = await recordsAt(keys, wanted.unreadable);
        records.push(...read.filter((record) => isWanted(record, wanted)).toSorted(newestFirst));
        batch = [];
      };
      for await (const found of merged(await sourcesOf(wanted), span, session)) {
        if (behind && byNewest(found, behind) <= 0) continue;
        batch.push(found);
        // One more than the page, which tells whether there is another page.
        if (batch.length >= Math.min(BATCH, limit + 1 - records.length)) await take();
        if (records.length > limit) break;
      }
      if (batch.length) await take();
      const shown = records.slice(0, limit);
      const last = shown.at(-1);
      return { records: shown, ...(records.length > limit && last ? { next: cursorOf(positionOf(last)) } : {}) };
    },

    async count(wanted) {
      const span = spanOf(wanted);
      const counted = await eachOf(await byFacets(wanted), async (source): Promise<FacetCount[]> => {
        const waitedMs: number[] = [];
        const problems: unknown[] = [];
        const sample = await sampleOf(source, span, wanted.unreadable && ((problem) => void problems.push(problem)));
        let count = 0;
        for await (const { waited } of index.items(source, span, undefined, Number.POSITIVE_INFINITY)) {
          count += 1;
          if (waited?.N !== undefined) waitedMs.push(Number(waited.N));
        }
        if (sample) return [{ agent: source.agent, sample, count, waitedMs }];
        if (problems.length) for (let n = 0; n < count; n++) wanted.unreadable?.(problems[0]);
        return [];
      });
      return counted.flat();
    },
  };
}

const spanOf = ({ since = FIRST, until = LAST }: Pick<RecordQuery, 'since' | 'until'>): Span => ({ since, until });

/** Labels of the index may be those of other names, and an index by time knows no facets. */
const isWanted = ({ entry }: AuditRecord, { session, ...wanted }: RecordQuery): boolean =>
  (session === undefined || entry.sessionId === session) && matches(facetsOf(entry), wanted);

const newestFirst = (a: AuditRecord, b: AuditRecord): number => byNewest(positionOf(a), positionOf(b));

/** At most `TOGETHER` at a time, in the order given. */
async function eachOf<Given, Value>(all: readonly Given[], work: (one: Given) => Promise<Value>): Promise<Value[]> {
  const done: Value[] = [];
  for (let start = 0; start < all.length; start += TOGETHER)
    done.push(...(await Promise.all(all.slice(start, start + TOGETHER).map(work))));
  return done;
}
