/**
 * Wraps every handler for logs and events.
 *
 * Log lines carry the request's id, faults are logged once, and events leave before a freeze.
 */
import type { Context } from 'aws-lambda';
import { sendEvents } from './events.ts';
import { faultOf } from './fault.ts';
import { beginInvocation, isAnswer, log, logFault, publishMetrics, version } from './observe.ts';

/** V8 records ten frames by default; a failed SDK call fills them with its own. */
Error.stackTraceLimit = 30;

/** A run that is out of time is ended by Lambda with all that it holds: so long before, its events leave. */
const EVENTS_LEAVE_MS = 1_000;

type Handler<Event, Result> = (event: Event, context: Context) => Promise<Result>;

/**
 * @param idsOf the ids that an event carries in the open, for the line of a fault that ends the handler
 * @throws the handler's faults under the same name and without their text, which Lambda would log: it may quote a message
 */
export function withTelemetry<Event, Result>(
  handler: Handler<Event, Result>,
  idsOf: (event: Event) => { readonly pid?: string } = () => ({}),
): Handler<Event, Result> {
  return async (event, context) => {
    const begun = performance.now();
    beginInvocation(context.awsRequestId);
    started();
    const send = () => sendEvents(context.awsRequestId).catch(() => undefined);
    let sent: Promise<void> | undefined;
    const leavesInMs = Math.max(0, context.getRemainingTimeInMillis() - EVENTS_LEAVE_MS);
    const late = setTimeout(() => (sent = send()), leavesInMs);
    try {
      return await handler(event, context);
    } catch (error) {
      if (!isAnswer(error)) logFault('a function failed', error, { run: true, ...idsOf(event) });
      throw wordless(error, context.awsRequestId);
    } finally {
      clearTimeout(late);
      await sent;
      await send();
      // Replaces Lambda's own two lines a run, which would be half of a short run's log.
      publishMetrics({ runMs: Math.round(performance.now() - begun), memoryMb: mostMemoryMb() });
    }
  };
}

/** The most that the process held so far. Node counts it in KB. */
const mostMemoryMb = (): number => Math.round(process.resourceUsage().maxRSS / 1024);

let isStarted = false;

/** Logs, once a process, which code and which policy it runs. */
function started(): void {
  if (isStarted) return;
  isStarted = true;
  log('info', 'started', {
    run: true,
    version,
    policyVersion: process.env['POLICY_VERSION'] ?? 'unknown',
    node: process.version,
    coldStartMs: Math.round(performance.now()),
  });
}

/** The workflow, SQS and callers tell errors apart by their names. The log line with the same request id has the rest. */
function wordless(error: unknown, requestId: string): Error {
  const bare = new Error(`the log of the request ${requestId} names the fault`);
  bare.name = error instanceof Error ? error.name : faultOf(error).fault;
  bare.stack = `${bare.name}: ${bare.message}`;
  return bare;
}
