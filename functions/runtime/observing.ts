/** Wraps every handler: log lines carry the request's id, and events leave before a freeze. */
import type { Context } from 'aws-lambda';
import { sendEvents } from './events.ts';
import { logger, publishMetrics } from './observe.ts';

export type Handler<Event, Result> = (event: Event, context: Context) => Promise<Result>;

export function withTelemetry<Event, Result>(handler: Handler<Event, Result>): Handler<Event, Result> {
  return async (event, context) => {
    logger.resetKeys();
    logger.appendKeys({ requestId: context.awsRequestId });
    try {
      return await handler(event, context);
    } finally {
      await sendEvents(context.awsRequestId).catch(() => undefined);
      publishMetrics();
    }
  };
}
