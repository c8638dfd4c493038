/**
 * Says whether an approved call may run now.
 * Invoked by tool servers and by agents' own tool runners: see `grantRedeem`.
 */
import type { RedeemAnswer } from '../shared/contract/execution.ts';
import { isCanary } from '../shared/domain/canary.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { redeem } from '../shared/use-cases/execution/redeem.ts';
import { readEnv } from './runtime/env.ts';
import { count } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { guardedDependencies } from './runtime/wiring/guarded-runs.ts';

const env = readEnv('redeem');
/** A call without an answer lasts until its caller gives up. */
const NOT_ANSWERED_MS = 60_000;

/** @throws if a store is down: the call may not run then */
export const handler = withTelemetry<unknown, RedeemAnswer>(async (request) => {
  const began = systemClock.now();
  let isAnswered = false;
  try {
    const answer = await redeem(request, await guardedDependencies(env));
    isAnswered = true;
    return answer;
  } finally {
    const took = systemClock.now() - began;
    // Nobody waits for redemptions of the canary, so no objective counts them.
    if (!isCanary(agentOf(request))) count('RedeemTime', isAnswered ? took : Math.max(took, NOT_ANSWERED_MS));
  }
});

const agentOf = (request: unknown): string | undefined => {
  const { agent } = (request ?? {}) as { readonly agent?: unknown };
  return typeof agent === 'string' ? agent : undefined;
};
