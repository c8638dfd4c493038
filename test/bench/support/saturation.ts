/**
 * Computes at how many asks a second a partition is full, before and after.
 *
 * Arithmetic from DynamoDB's limits and the sizes of the rows, without load.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import { LOOK_ATTRIBUTES, LOOK_SHARDS, lookOf } from '../../../shared/adapters/dynamodb/reconcile-index.ts';
import type { Approval } from '../../../shared/contract/index.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import { type IndexShape, indexUnits, itemBytes, type StoredItem, writeUnits } from './dynamo-units.ts';

/** Units of one partition in a second. */
const WRITE_UNITS = 1_000;
const READ_UNITS = 3_000;

const BEFORE: IndexShape = { partition: 'due', sort: 'dueAt', attributes: 'all' };
const AFTER: IndexShape = { partition: 'look', sort: 'lookAt', attributes: LOOK_ATTRIBUTES };

export interface Saturation {
  readonly part: string;
  readonly unit: string;
  /** Units of the fullest partition for one of them. */
  readonly units: readonly [before: number | undefined, after: number];
  readonly perSecond: readonly [before: number, after: number];
}

const row = (fields: Record<string, unknown>): StoredItem => marshall(fields, { removeUndefinedValues: true });
const unitsOf = (index: IndexShape, states: readonly (StoredItem | undefined)[]): number =>
  states.reduce((sum, state, at) => (at === 0 ? sum : sum + indexUnits(index, states[at - 1], state)), 0);

/** Units of one human decision in the indexes: asked, card drawn, voted, decided, everybody notified. */
function approvalUnits(approval: Approval): readonly [number, number] {
  const { pid } = approval;
  const keys = { pk: `approval#${pid}`, sk: 'row', version: 0, ttl: 1_900_000_000 };
  const voted = {
    ...approval,
    version: 1,
    votes: [{ by: approval.owner, choice: 'approve', at: approval.requestedAt }],
  };
  const decision = { outcome: 'approved', calls: [{ permit: { id: sha256Hex('permit') } }], message: 'm'.repeat(300) };
  const T = Date.parse(approval.requestedAt);
  const due = (dueAt: number) => ({ due: 'due', dueAt });
  const before = [
    undefined,
    row({ ...keys, approval, ...due(T + 60_000) }),
    row({ ...keys, approval, ...due(T + 3_600_000) }),
    row({ ...keys, approval: voted, ...due(T + 120_000) }),
    row({ ...keys, approval: voted, decision, ...due(T + 121_000) }),
    row({ ...keys, approval: voted, decision }),
  ];
  const look = (dueAt: number) => lookOf('approvals', dueAt, pid);
  const counted = `${approval.agent}#platform`;
  const after = [
    undefined,
    row({ ...keys, approval, ...look(T + 60_000), quietUntil: T, counted }),
    row({ ...keys, approval, ...look(T + 3_600_000), quietUntil: T, counted }),
    row({ ...keys, approval: voted, ...look(T + 120_000), counted }),
    row({ ...keys, approval: voted, decision, ...look(T + 120_000), counted: '-' }),
    row({ ...keys, approval: voted, decision }),
  ];
  return [unitsOf(BEFORE, before), unitsOf(AFTER, after)];
}

/** A call that is redeemed: taken, begun, ended, everybody told. */
function permitUnits(): readonly [number, number] {
  const pid = sha256Hex('call');
  const permit = {
    pid,
    callId: 'call',
    agent: 'coder',
    proposalId: 'p',
    permitId: pid,
    redemptionId: pid,
    auditDigest: pid,
    toolName: 'Bash',
    takenAt: 1,
    reportBy: 2,
  };
  const keys = { pk: `permit#${pid}`, sk: 'call', redemptionId: pid, ttl: 1_900_000_000 };
  const stages = ['taken', 'begun', 'ended'].map((stage, at) => ({ stage, dueAt: 60_000 * (at + 1) }));
  const told = row({ ...keys, permit: { ...permit, stage: 'ended' } });
  const before = stages.map(({ stage, dueAt }) =>
    row({ ...keys, permit: { ...permit, stage }, due: 'permits', dueAt }),
  );
  const after = stages.map(({ stage, dueAt }) =>
    row({ ...keys, permit: { ...permit, stage }, ...lookOf('permits', dueAt, pid, 'call') }),
  );
  return [unitsOf(BEFORE, [undefined, ...before, told]), unitsOf(AFTER, [undefined, ...after, told])];
}

/** The item that each call of a session in auto mode writes: its last twenty calls. */
function recentUnits(): number {
  const call = {
    key: Buffer.alloc(32),
    toolName: 'Bash',
    verdict: 'allow',
    files: ['src/a.ts'],
    at: '2026-11-21T09:00:00.000Z',
  };
  return writeUnits(undefined, row({ pk: 'session#coder#main', sk: 'recent', recent: Array(20).fill(call), ttl: 1 }));
}

/** `simulated`: measured with fake clients and assumed latencies on the code of before, since a version has no units. */
export function saturations(approval: Approval, simulated: { group: number; session: number }): Saturation[] {
  const shared = ([before, after]: readonly [number, number]) =>
    [WRITE_UNITS / before, (LOOK_SHARDS * WRITE_UNITS) / after] as const;
  const approvals = approvalUnits(approval);
  const permits = permitUnits();
  const recent = recentUnits();
  return [
    { part: 'index of what is due', unit: 'human decisions', units: approvals, perSecond: shared(approvals) },
    { part: 'index of permits', unit: 'redeemed calls', units: permits, perSecond: shared(permits) },
    {
      part: 'counter of one group',
      unit: 'human decisions',
      units: [undefined, 2],
      perSecond: [simulated.group, WRITE_UNITS / 2],
    },
    {
      part: 'one session in auto mode',
      unit: 'calls',
      units: [undefined, recent],
      perSecond: [simulated.session, WRITE_UNITS / recent],
    },
    { part: 'pause (one item)', unit: 'redeemed calls', units: [1, 1], perSecond: [READ_UNITS, READ_UNITS] },
  ];
}

export const bytesOfRow = (approval: Approval): number => itemBytes(row({ approval }));
