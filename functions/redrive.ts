/**
 * Moves dead letters back: `operate` invokes this, and takes from none of these queues.
 * The function may send to no queue whose senders are believed.
 */
import { redrive } from '../shared/adapters/sqs/dead-letters.ts';
import { type RedriveAnswer, redriveRequest } from '../shared/contract/redrive.ts';
import { sqs } from './runtime/clients/sqs.ts';
import { readEnv } from './runtime/env.ts';
import { log } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';

const { QUEUES: addresses } = readEnv('redrive');
/** Time kept back to finish the batch that was begun. */
const RESERVE_MS = 15_000;

/** @throws ZodError for a request of another shape, before anything is moved */
export const handler = withTelemetry<unknown, RedriveAnswer>(async (event, context) => {
  const { queue, limit, withinMs } = redriveRequest.parse(event);
  const { live: targetUrl, dead: deadUrl } = addresses[queue];
  const reserve = Math.max(RESERVE_MS, context.getRemainingTimeInMillis() - withinMs);
  const isOver = () => context.getRemainingTimeInMillis() < reserve;
  const { moved, left } = await redrive(sqs(), { deadUrl, targetUrl, limit, isOver });
  log('info', 'dead letters were brought back', { queue, moved, left: left.length });
  return { moved, left };
});
