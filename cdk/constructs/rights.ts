/** Rights of the functions on the tables: each may touch the row types it works with, and no others (A25, G40). */
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { GateFunction } from './gate-function.ts';
import type { GateTables } from './tables.ts';

/** Prefixes of partition keys in the state table, as `shared/adapters/dynamodb` writes them. */
type RowType = 'approval#' | 'token#' | 'journal#' | 'waiting#' | 'rate#' | 'control';
type Verb = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem';
export type RowRights = Partial<Record<RowType, readonly Verb[]>>;

/** Only partitions whose key begins so; a request that names no key is refused too. */
const onlyRows = (patterns: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...patterns] },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

export function grantRows(to: GateFunction, { state }: GateTables, rights: RowRights): void {
  for (const [rows, verbs] of Object.entries(rights) as [RowType, readonly Verb[]][]) {
    const pattern = rows.endsWith('#') ? `${rows}*` : rows;
    to.allow(
      verbs.map((verb) => `dynamodb:${verb}`),
      [state.tableArn],
      onlyRows([pattern]),
    );
  }
}

/** The record is appended to: put, and for those who decide, read back; nobody may update or delete (G40). */
export function grantRecord(
  to: GateFunction,
  { audit }: GateTables,
  verbs: readonly ('PutItem' | 'BatchGetItem' | 'Query')[],
): void {
  to.allow(
    verbs.map((verb) => `dynamodb:${verb}`),
    [audit.tableArn],
  );
}

/** The index of approvals to look after. */
export function grantDueIndex(to: GateFunction, { state }: GateTables): void {
  to.allow(['dynamodb:Query'], [indexArn(state, 'byDue')], onlyRows(['due']));
}

export const indexArn = (table: Table, name: string): string => `${table.tableArn}/index/${name}`;
