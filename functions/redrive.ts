/** Brings dead letters back for operators, who may invoke this and touch no queue: nobody but the gate says who sent a message. */
import * as z from 'zod';
import { redrive } from '../shared/adapters/sqs/dead-letters.ts';
import { GATE_QUEUES, type RedriveAnswer, redriveRequest } from '../shared/contract/redrive.ts';
import { sqs } from './runtime/clients.ts';
import { readEnv } from './runtime/env.ts';
import { logger } from './runtime/observe.ts';
import { observing } from './runtime/observing.ts';

const env = readEnv('redrive');
const addresses = z
  .record(z.enum(GATE_QUEUES), z.object({ live: z.url(), dead: z.url() }))
  .parse(JSON.parse(env.QUEUES));
/** Time kept back to finish the batch that was begun. */
const RESERVE_MS = 15_000;

/** Throws for a request that is not one: nothing is moved. */
export const handler = observing<unknown, RedriveAnswer>(async (event, context) => {
  const { queue, limit } = redriveRequest.parse(event);
  const { live, dead: deadUrl } = addresses[queue];
  // Proposals come back in the wrapper that says who sent them, which only the deferred queue takes.
  const targetUrl = queue === 'proposals' ? addresses.deferred.live : live;
  const isOver = () => context.getRemainingTimeInMillis() < RESERVE_MS;
  const { moved, left } = await redrive(sqs(), { queue, deadUrl, targetUrl, limit, isOver });
  logger.info('dead letters were brought back', { queue, moved, left: left.length });
  return { moved, left };
});
