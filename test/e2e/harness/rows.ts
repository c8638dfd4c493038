/**
 * Reads the tables with root's credentials.
 *
 * Tests assess the rows, and not a function's account of them.
 */
import { paginateScan, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { dynamoApprovalStore } from '../../../shared/adapters/dynamodb/approvals/approval-store.ts';
import { recordFromItem } from '../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { dynamoAuditLog } from '../../../shared/adapters/dynamodb/audit/audit-log.ts';
import { fromItem, toItem } from '../../../shared/adapters/dynamodb/items.ts';
import { dynamoJournalStore } from '../../../shared/adapters/dynamodb/journal-store.ts';
import { s3InputStore } from '../../../shared/adapters/s3/input-store.ts';
import type { Approval, AuditEntry, JournalEntry } from '../../../shared/contract/index.ts';
import type { ApprovalView } from '../../../shared/ports/stores/approval-store.ts';
import type { AuditRecord } from '../../../shared/ports/stores/audit-log.ts';
import { type E2eGate, e2eGate } from '../gate.ts';
import { resource } from './resources.ts';
import { until } from './until.ts';

const tablesOf = ({ outputs }: E2eGate) => ({ state: outputs.StateTable, audit: outputs.AuditTable });

/** Everything on the record about one proposal, oldest first. */
export async function recordsOf(agent: string, pid: string): Promise<readonly AuditRecord[]> {
  const gate = await e2eGate();
  return dynamoAuditLog(gate.root.dynamodb, tablesOf(gate)).ofProposal(agent, pid);
}

export async function entriesOf(
  agent: string,
  pid: string,
  type: AuditEntry['type'],
): Promise<readonly AuditRecord['entry'][]> {
  return (await recordsOf(agent, pid)).map(({ entry }) => entry).filter((entry) => entry.type === type);
}

/** The sorts of a proposal's records: which entries there are, each once. */
export async function sortsOf(agent: string, pid: string): Promise<string[]> {
  return (await recordsOf(agent, pid)).map(({ key }) => key.sort.replace(/#.*/, '')).toSorted();
}

export async function approvalOf(pid: string): Promise<ApprovalView | undefined> {
  const gate = await e2eGate();
  const inputs = s3InputStore(gate.root.s3, await inputBucket());
  return dynamoApprovalStore(gate.root.dynamodb, tablesOf(gate), inputs).read(pid);
}

/** Answers of people and models about a proposal (A16). */
export async function journalOf(pid: string): Promise<readonly JournalEntry[]> {
  const gate = await e2eGate();
  return dynamoJournalStore(gate.root.dynamodb, tablesOf(gate)).read(pid);
}

/** Waits until people are asked. */
export const waiting = (pid: string): Promise<ApprovalView> =>
  until(`the approval ${pid}`, async () => {
    const view = await approvalOf(pid);
    return view?.approval.status === 'pending' ? view : undefined;
  });

/** Every row of a table as plain values. */
export const allRows = (table: string): Promise<readonly Record<string, unknown>[]> => scanned({ TableName: table });

/** Rows whose partition key begins so: to read all of them takes most of the time of a look. */
export const rowsUnder = (table: string, under: string): Promise<readonly Record<string, unknown>[]> =>
  scanned({
    TableName: table,
    FilterExpression: 'begins_with(pk, :under)',
    ExpressionAttributeValues: toItem({ ':under': under }),
  });

async function scanned(what: ScanCommandInput): Promise<readonly Record<string, unknown>[]> {
  const { root } = await e2eGate();
  const rows: Record<string, unknown>[] = [];
  const pages = paginateScan({ client: root.dynamodb }, { ...what, ConsistentRead: true });
  for await (const { Items = [] } of pages) rows.push(...Items.map(fromItem));
  return rows;
}

/** Approvals that wait for people. */
export async function pendingApprovals(): Promise<readonly Approval[]> {
  const { outputs } = await e2eGate();
  const rows = await allRows(outputs.StateTable ?? '');
  return rows
    .map(({ approval }) => approval as Approval | undefined)
    .filter((one) => one?.status === 'pending') as Approval[];
}

/** Every entry of the record, in no order. */
export async function allEntries(): Promise<readonly AuditEntry[]> {
  const { root, outputs } = await e2eGate();
  const entries: AuditEntry[] = [];
  const pages = paginateScan({ client: root.dynamodb }, { TableName: outputs.AuditTable, ConsistentRead: true });
  for await (const { Items = [] } of pages) entries.push(...Items.map((item) => recordFromItem(item).entry));
  return entries;
}

/** The bucket of large inputs (A15). */
export const inputBucket = (): Promise<string> => resource('AWS::S3::Bucket', 'GateInputs');
