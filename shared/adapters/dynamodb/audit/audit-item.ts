/**
 * Writes an entry of the record as an item of the table, and reads it from there.
 *
 * An item has to fit one kilobyte where it can.
 */
import type { PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { type Additions, apart } from '../../../contract/additions.ts';
import { auditEntry } from '../../../contract/audit-entry.ts';
import { asStored } from '../../../contract/stored.ts';
import { groundsOf, withoutGrounds } from '../../../domain/approval/grounds.ts';
import { packedText, unpackedText } from '../../../domain/record/packed-text.ts';
import { combinationOf, facetsOf } from '../../../domain/record/record-facets.ts';
import { type AuditRecord, type ClaimVerdict, familyOf } from '../../../ports/stores/audit-log.ts';
import { auditPartition, fromItem, type Item, type Tables, toItem } from '../items.ts';
import { bytesToHex, hexToBytes, packDecision, packEntry, recordedDecision, unpackEntry } from '../pack.ts';

/** Fields of an item that are no part of its entry. */
export type Beside = Readonly<Record<string, unknown>>;
type Json = Record<string, unknown>;

/** The put of one record, refused if its key is taken. */
export const auditPut = (tables: Tables, record: AuditRecord, more: Beside = {}): PutItemCommandInput => ({
  TableName: tables.audit,
  Item: auditItem(record, more),
  ConditionExpression: 'attribute_not_exists(pk)',
});

/** @param more - fields beside the entry. */
export function auditItem(record: AuditRecord, more: Beside): Item {
  const { key, entry: whole, decision, expiresAt } = record;
  const { shown, ...plain } = whole;
  const { known, additions } = apart(auditEntry, plain);
  const { sessionId, ...entry } = known;
  const grounds = decision && groundsOf(decision);
  return toItem({
    pk: auditPartition(key.agent, key.pid, familyOf(key.sort)),
    sk: key.sort,
    agent: key.agent,
    at: entry.recordedAt,
    // With the agent the key of the index `byFacet`; session and waiting time stand there, too.
    facet: `${combinationOf(facetsOf(whole))}#${entry.recordedAt}`,
    session: sessionId,
    waited: entry.type === 'decided' && isByPeople(whole) ? whole.waitedMs : undefined,
    ...(expiresAt === undefined ? {} : { ttl: Math.ceil(expiresAt / 1000) }),
    ...(shown === undefined ? {} : { shown: packedText(shown) }),
    ...(hexToBytes({
      // Beside the entry: the previous release refuses one with fields that it does not know.
      told: additions && besideOf(additions),
      entry: unsaid(packEntry(entry, decision), record),
      ...(decision ? { decision: packDecision(withoutGrounds(decision)) } : {}),
      ...(grounds ? { grounds } : {}),
      ...more,
    }) as Record<string, unknown>),
  });
}

/** The fields by their names, nested as in the entry. A list of an entry holds none: its parts have no name to be found by. */
function besideOf({ fields }: Additions): Json {
  const beside: Json = {};
  for (const [path, value] of fields) {
    const names = path.map(String);
    const last = names.pop() ?? '';
    let within = beside;
    for (const name of names) {
      within[name] ??= {};
      within = within[name] as Json;
    }
    within[last] = value;
  }
  return beside;
}

/** The entry with the fields that stand beside it; its own words hold. */
function withBeside(entry: Json, beside: Json): Json {
  const both = Object.keys(beside).filter((name) => isObject(beside[name]) && isObject(entry[name]));
  const merged = both.map((name) => [name, withBeside(entry[name] as Json, beside[name] as Json)] as const);
  return { ...beside, ...entry, ...Object.fromEntries(merged) };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const isByPeople = ({ decidedBy }: AuditRecord['entry']): boolean => decidedBy?.type === 'human';

/** Leaves out fields that the item's key and time hold already: a claim has to fit one kilobyte. */
const unsaid = ({ recordedAt: _, type, ...rest }: Record<string, unknown>, { key }: AuditRecord) =>
  type === key.sort ? rest : { ...rest, type };

export function recordFromItem(item: Item): AuditRecord {
  const { shown, ...fields } = fromItem(item);
  const row = bytesToHex(fields) as Record<string, unknown>;
  const pk = String(row['pk']);
  const [agent = '', pid = ''] = pk.slice(pk.indexOf('/') + 1).split('#');
  const sort = String(row['sk']);
  const answered = row['decision'] as Record<string, unknown> | undefined;
  const session = row['session'] === undefined ? {} : { sessionId: row['session'] };
  const stored = {
    type: sort,
    recordedAt: row['at'],
    ...session,
    ...(shown === undefined ? {} : { shown: unpackedText(shown as Uint8Array) }),
    ...withBeside(row['entry'] as Json, (row['told'] ?? {}) as Json),
  };
  return {
    key: { agent, pid, sort },
    entry: asStored(auditEntry).parse(unpackEntry(stored, agent, pid, answered)),
    ...(answered ? { decision: recordedDecision(row) } : {}),
    ...(row['verdict'] ? { verdict: row['verdict'] as ClaimVerdict } : {}),
  };
}
