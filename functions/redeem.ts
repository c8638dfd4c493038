/**
 * Says whether an approved call may run now.
 * Invoked by tool servers and by agents' own tool runners: see `grantRedeem`.
 */
import type { RedeemAnswer } from '../shared/contract/execution.ts';
import { redeem } from '../shared/use-cases/execution/redeem.ts';
import { readEnv } from './runtime/env.ts';
import { guardedDeps } from './runtime/guarded.ts';
import { withTelemetry } from './runtime/observing.ts';

const env = readEnv('redeem');

/** Fails if a store is down: then nothing may run. */
export const handler = withTelemetry<unknown, RedeemAnswer>(async (request) => redeem(request, await guardedDeps(env)));
