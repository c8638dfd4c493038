/**
 * Checks that finding entries among ten million takes a few small queries.
 *
 * An index that is computed, not stored, counts them.
 */
import type { DynamoDBClient, QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { recordSearch } from '../../../../../shared/adapters/dynamodb/audit/record-search.ts';
import type { AuditEntry } from '../../../../../shared/contract/index.ts';
import { combinationOf, facetsOf } from '../../../../../shared/domain/record/record-facets.ts';
import type { AuditRecord } from '../../../../../shared/ports/stores/audit-log.ts';

const ENTRIES = 10_000_000;
const START = Date.parse('2025-11-01T00:00:00.000Z');
const STEP_MS = 1_000;
const TOOLS = Array.from({ length: 20 }, (_, n) => `Tool${n}`);
const OUTCOMES = ['approved', 'denied', 'error'] as const;
const KINDS = TOOLS.flatMap((tool) => OUTCOMES.map((outcome) => ({ tool, outcome })));

/** Entry `n` is of kind `n % 60`, and a second later than the one before. */
function recordAt(n: number): AuditRecord {
  const { tool = '', outcome = 'error' } = KINDS[n % KINDS.length] ?? {};
  const call = {
    id: 'call',
    toolName: tool,
    argsHash: '',
    auditDigest: null,
    verdict: 'allow',
    reason: 'r',
    source: 's',
  };
  const pid = n.toString(16).padStart(64, '0');
  const entry = {
    type: 'evaluated',
    pid,
    proposalId: `p-${n}`,
    agent: 'bot',
    recordedAt: new Date(START + n * STEP_MS).toISOString(),
    policyVersion: pid,
    outcome,
    calls: [call],
  } as AuditEntry;
  return { key: { agent: 'bot', pid, sort: 'evaluated' }, entry };
}

const combinations = KINDS.map((_, kind) => combinationOf(facetsOf(recordAt(kind).entry)));
const sorted = combinations.map((text, kind) => ({ text, kind })).toSorted((a, b) => (a.text < b.text ? -1 : 1));

let queries = 0;
let itemsRead = 0;

const itemOf = (n: number, index: string) => {
  const { key, entry } = recordAt(n);
  const facet = `${combinations[n % KINDS.length]}#${entry.recordedAt}`;
  return marshall({
    pk: `bot#${key.pid}`,
    sk: 'evaluated',
    ...(index === 'byAgent' ? { at: entry.recordedAt } : { facet }),
  });
};

/** The first entry from this time on, if `round` is `Math.ceil`; the last up to it, if it is `Math.floor`. */
const numberAt = (time: string, round: (value: number) => number): number =>
  time === '0' ? 0 : time === '~' ? ENTRIES - 1 : round((Date.parse(time) - START) / STEP_MS);

function answer({
  IndexName = '',
  ExpressionAttributeValues: values = {},
  Limit = 8_000,
  ExclusiveStartKey,
}: QueryCommandInput) {
  queries += 1;
  const after = values[':after']?.S;
  if (after !== undefined) {
    const next = sorted.find(({ text }) => `${text}#${new Date(START).toISOString()}` > after);
    itemsRead += next ? 1 : 0;
    return { Items: next ? [itemOf(next.kind, IndexName)] : [] };
  }
  const [since = '', until = ''] = [values[':since']?.S, values[':until']?.S];
  const combination = IndexName === 'byAgent' ? undefined : since.slice(0, since.lastIndexOf('#'));
  const kind = combination === undefined ? 0 : combinations.indexOf(combination);
  const step = combination === undefined ? 1 : KINDS.length;
  const timeIn = (text: string) => text.slice(text.lastIndexOf('#') + 1);
  const first = Math.max(0, numberAt(timeIn(since), Math.ceil));
  const lastRead = ExclusiveStartKey?.['n']?.N;
  const top =
    lastRead === undefined ? Math.min(ENTRIES - 1, numberAt(timeIn(until), Math.floor)) : Number(lastRead) - 1;
  const Items: ReturnType<typeof itemOf>[] = [];
  let n = top - ((((top - kind) % step) + step) % step);
  for (; n >= first && Items.length < Limit; n -= step) Items.push(itemOf(n, IndexName));
  itemsRead += Items.length;
  return { Items, ...(n >= first ? { LastEvaluatedKey: { n: { N: String(n + step) } } } : {}) };
}

const search = recordSearch({
  client: {
    send: async ({ input }: { readonly input: QueryCommandInput }) => answer(input),
  } as unknown as DynamoDBClient,
  table: 'audit',
  recordsAt: async (keys) => keys.map(({ pk }) => recordAt(Number.parseInt(pk?.S?.slice(4) ?? '', 16))),
});

const timeOf = (record: AuditRecord | undefined): number => Date.parse(record?.entry.recordedAt ?? '');

describe('a page of twenty among ten million entries', () => {
  beforeEach(() => {
    queries = 0;
    itemsRead = 0;
  });
  const month = {
    since: new Date(START + 86_400_000).toISOString(),
    until: new Date(START + 31 * 86_400_000).toISOString(),
  };

  test.each([
    ['the newest', {}, 1, 100],
    ['of a time', month, 1, 100],
    ['of one tool', { tool: 'Tool7' }, 64, 361],
    ['of one outcome in a time', { outcome: 'denied', ...month }, 41, 2_021],
    ['of a tool and an outcome', { tool: 'Tool7', outcome: 'denied' }, 22, 121],
    ['of what never was', { tool: 'Read' }, 61, 60],
  ])('%s', async (_, wanted, mostQueries, mostItems) => {
    const { records, next } = await search.find({ agents: ['bot'], limit: 20, ...wanted });
    expect(records).toHaveLength('tool' in wanted && wanted.tool === 'Read' ? 0 : 20);
    expect(queries).toBeLessThanOrEqual(mostQueries);
    expect(itemsRead).toBeLessThanOrEqual(mostItems);
    if (next === undefined) return;
    // The next page costs no more than the first.
    const before = queries;
    const second = await search.find({ agents: ['bot'], limit: 20, ...wanted, after: next });
    expect(timeOf(second.records[0])).toBeLessThan(timeOf(records.at(-1)));
    expect(queries - before).toBeLessThanOrEqual(mostQueries);
  });
});
