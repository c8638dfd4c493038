/**
 * Records what tool servers report of the calls that they redeemed.
 * Invoked by them: see `grantRedeem`.
 */
import { type Recorded, recordReport } from '../shared/use-cases/execution/record-outcome.ts';
import { readEnv } from './runtime/env.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { guardedDependencies } from './runtime/wiring/guarded-runs.ts';

const env = readEnv('recordOutcome');

/** A caller may send anything; an event that claims to come from a queue is a report like any other. */
export const handler = withTelemetry<unknown, Recorded>(async (raw, { awsRequestId }) =>
  recordReport({ messageId: awsRequestId, raw }, await guardedDependencies(env)),
);
