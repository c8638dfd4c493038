/** Waits for the result of an operation in the record, where it stands under the operation's id. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEntry } from '../../contract/audit-entry.ts';
import { OPERATIONS, pidOfOperation } from '../../domain/record/operation-id.ts';
import { CliError, type Io } from '../support/io.ts';
import { reasonOf } from '../support/reason-of.ts';

export interface OperationResult {
  readonly accepted: boolean;
  readonly code: string;
  /** The field, and what is wrong: of a refusal, or of a part that was left out. */
  readonly problem?: string;
  /** The number of dead letters that came back; `left` has the ids of those that could not. */
  readonly moved?: number;
  readonly left?: readonly string[];
  /** The entries that hold the id of a forgotten person; `stillNamedUntil` says when the last of them goes. */
  readonly stillNamed?: number;
  readonly stillNamedUntil?: string;
  readonly recordedAt: string;
}

const PAUSES_MS = [250, 250, 500];
const LATER_MS = 1_000;
/** A cold start takes seconds; an operation that met a fault comes again after three minutes, and nobody at a terminal waits for that. */
const RESULT_TIMEOUT_MS = 30_000;

/** @throws CliError if nothing is recorded in time, or the record cannot be read: the operation may be done in both cases. */
export async function resultOf(operationId: string, auditTable: string, io: Io): Promise<OperationResult> {
  const [{ dynamoAuditLog }, { dynamo }] = await Promise.all([
    import('../../adapters/dynamodb/audit/audit-log.ts'),
    import('../support/clients.ts'),
  ]);
  const log = dynamoAuditLog(await dynamo(), { audit: auditTable, state: '' });
  const sleep = io.sleep ?? delay;
  let waited = 0;
  for (let look = 0; ; look++) {
    const [record] = await log.ofProposal(OPERATIONS, pidOfOperation(operationId), ['operation']).catch((error) => {
      throw new CliError(`the operation was sent, but its result cannot be read: ${reasonOf(error)}\n${AFTERWARDS}`);
    });
    if (record) return resultIn(record.entry);
    if (waited >= RESULT_TIMEOUT_MS)
      throw new CliError(
        `the operation was sent, but the gate has not answered within ${RESULT_TIMEOUT_MS / 1000} s: it may still be done\n` +
          `${AFTERWARDS}, operation ${operationId}`,
      );
    const pause = PAUSES_MS[look] ?? LATER_MS;
    await sleep(pause);
    waited += pause;
  }
}

const AFTERWARDS = '`countersign audit --operations` shows what the gate made of it';

function resultIn({ accepted = false, reasonCode = '', operation, recordedAt }: AuditEntry): OperationResult {
  const { problem, moved, left, stillNamed, stillNamedUntil } = operation ?? {};
  return {
    accepted,
    code: reasonCode,
    ...(problem === undefined ? {} : { problem }),
    ...(moved === undefined ? {} : { moved }),
    ...(left === undefined ? {} : { left }),
    ...(stillNamed === undefined ? {} : { stillNamed }),
    ...(stillNamedUntil === undefined ? {} : { stillNamedUntil }),
    recordedAt,
  };
}
