/** Builds entries of the index that the reconciler looks through: sharded, with few fields. */
import type { Approval } from '../../contract/approval.ts';
import { countedUnder } from '../../domain/approval/approval.ts';
import { sha256Hex } from '../../domain/digest.ts';

export const LOOK_INDEX = 'byLook';
/** Besides the keys; `cdk/` makes the index of the same. A write of anything else leaves the index alone. */
export const LOOK_ATTRIBUTES = ['failures', 'quietUntil', 'counted'] as const;
/**
 * A partition of DynamoDB takes 1,000 write units a second, and an index that takes fewer holds up the writes of its table. Changing this
 * number moves no row: add the shards of before to those that readers ask.
 */
export const LOOK_SHARDS = 16;
export type LookKind = 'approvals' | 'permits';

const partitionOf = (kind: LookKind, shard: number): string => `${kind}#${String(shard).padStart(2, '0')}`;
export const lookPartitions = (kind: LookKind): string[] =>
  Array.from({ length: LOOK_SHARDS }, (_, shard) => partitionOf(kind, shard));

/** The attributes of a row that is looked at at `dueAt`. The time sorts as text, and rows of one time by their ids. */
export function lookOf(kind: LookKind, dueAt: number, pid: string, callId?: string): { look: string; lookAt: string } {
  const shard = Number.parseInt(sha256Hex(pid).slice(0, 4), 16) % LOOK_SHARDS;
  return { look: partitionOf(kind, shard), lookAt: timeOf(dueAt, pid, callId) };
}

/** Text that sorts as the time does, and rows of one time by their ids. */
export const timeOf = (dueAt: number, pid: string, callId?: string): string =>
  [String(Math.max(0, Math.floor(dueAt))).padStart(16, '0'), pid, ...(callId === undefined ? [] : [callId])].join('#');

export const dueAtOf = (lookAt: unknown): number => Number(String(lookAt).slice(0, 16));

/** Under whose limits a waiting approval counts, and since when. One that was decided counts under none. */
export const countedOf = (approval: Approval): string =>
  `${approval.agent}#${countedUnder(approval)}#${Date.parse(approval.requestedAt)}`;
export const NOT_COUNTED = '-';

/** Undefined for one that counts under none, and for rows of before there was the attribute. */
export function readCounted(counted: unknown): Counted | undefined {
  if (typeof counted !== 'string' || counted === NOT_COUNTED) return undefined;
  const [agent = '', group = '', since = ''] = counted.split('#');
  return { agent, group, ...(since === '' ? {} : { since: Number(since) }) };
}

interface Counted {
  readonly agent: string;
  readonly group: string;
  /** Milliseconds since 1970; absent in rows of the previous release. */
  readonly since?: number;
}

/** Before the partitions were sharded: the index over whole rows, and its partitions. Rows of then stand there until they change. */
export const UNSHARDED: Readonly<Record<LookKind, string>> = { approvals: 'due', permits: 'permits' };
