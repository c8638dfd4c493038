/**
 * Gives the app and its tests the insides of a gate.
 *
 * None of them is part of the construct's public face.
 */
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { PolicyDocument } from '../../shared/config/document.ts';
import type { GateQueues } from './data/queues.ts';
import type { RecordArchive } from './data/record-archive.ts';
import type { GateTables } from './data/tables.ts';
import type { GateFunctions } from './functions/gate-functions.ts';
import type { GateAccess } from './rights/grants.ts';
import type { ApprovalWorkflow } from './workflow/approval-workflow.ts';

interface GateInternals {
  readonly policy: PolicyDocument;
  readonly tables: GateTables;
  readonly queues: GateQueues;
  readonly functions: GateFunctions;
  readonly workflow: ApprovalWorkflow;
  /** Inputs too large for a row. */
  readonly inputs: Bucket;
  /** The archived record, and the key that signs it. */
  readonly record: RecordArchive;
  /** Keys the digests of the record. */
  readonly digestKey: ISecret;
  readonly access: GateAccess;
}

const internals = new WeakMap<object, GateInternals>();

export function rememberInternals(gate: object, parts: GateInternals): void {
  internals.set(gate, parts);
}

/** @throws Error for a gate of another app: nothing but its names is known of it. */
export function internalsOf(gate: object): GateInternals {
  const parts = internals.get(gate);
  if (!parts) throw new Error('only a gate that this app makes has parts');
  return parts;
}
