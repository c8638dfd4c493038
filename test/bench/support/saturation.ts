/**
 * Computes at how many asks a second a partition is full.
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

const INDEX: IndexShape = { partition: 'look', sort: 'lookAt', attributes: LOOK_ATTRIBUTES };

interface Saturation {
  readonly part: string;
  readonly unit: string;
  /** Units of the fullest partition for one of them. */
  readonly units: number;
  readonly perSecond: number;
}

const row = (fields: Record<string, unknown>): StoredItem => marshall(fields, { removeUndefinedValues: true });
const unitsOf = (states: readonly (StoredItem | undefined)[]): number =>
  states.reduce((sum, state, at) => (at === 0 ? sum : sum + indexUnits(INDEX, states[at - 1], state)), 0);

/** Units of one human decision in the indexes: asked, card drawn, voted, decided, everybody notified. */
function approvalUnits(approval: Approval): number {
  const { pid } = approval;
  const keys = { pk: `approval#${pid}`, sk: 'row', version: 0, ttl: 1_900_000_000 };
  const voted = {
    ...approval,
    version: 1,
    votes: [{ by: approval.owner, choice: 'approve', at: approval.requestedAt }],
  };
  const decision = { outcome: 'approved', calls: [{ permit: { id: sha256Hex('permit') } }], message: 'm'.repeat(300) };
  const T = Date.parse(approval.requestedAt);
  const look = (dueAt: number) => lookOf('approvals', dueAt, pid);
  const counted = `${approval.agent}#platform`;
  return unitsOf([
    undefined,
    row({ ...keys, approval, ...look(T + 60_000), quietUntil: T, counted }),
    row({ ...keys, approval, ...look(T + 3_600_000), quietUntil: T, counted }),
    row({ ...keys, approval: voted, ...look(T + 120_000), counted }),
    row({ ...keys, approval: voted, decision, ...look(T + 120_000), counted: '-' }),
    row({ ...keys, approval: voted, decision }),
  ]);
}

/** A call that is redeemed: taken, begun, ended, everybody told. */
function permitUnits(): number {
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
  const states = stages.map(({ stage, dueAt }) =>
    row({ ...keys, permit: { ...permit, stage }, ...lookOf('permits', dueAt, pid, 'call') }),
  );
  return unitsOf([undefined, ...states, told]);
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

export function saturations(approval: Approval): Saturation[] {
  const approvals = approvalUnits(approval);
  const permits = permitUnits();
  const recent = recentUnits();
  const shared = LOOK_SHARDS * WRITE_UNITS;
  return [
    { part: 'index of what is due', unit: 'human decisions', units: approvals, perSecond: shared / approvals },
    { part: 'index of permits', unit: 'redeemed calls', units: permits, perSecond: shared / permits },
    { part: 'counter of one group', unit: 'human decisions', units: 2, perSecond: WRITE_UNITS / 2 },
    { part: 'one session in auto mode', unit: 'calls', units: recent, perSecond: WRITE_UNITS / recent },
    { part: 'pause (one item)', unit: 'redeemed calls', units: 1, perSecond: READ_UNITS },
  ];
}

export const bytesOfRow = (approval: Approval): number => itemBytes(row({ approval }));
