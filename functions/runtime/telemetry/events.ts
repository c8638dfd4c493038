/**
 * Collects the events of a handler while it works, measures them, and sends them at its end.
 *
 * Events go to the bus of `EVENT_BUS`, to the log, or nowhere, and are measured in any case. Stores of `storesOf` emit to `events`; functions
 * that run calls pass it to the guardrails as their `EventSink`. `withTelemetry` sends the events of a handler at its end.
 */
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { CLIENT_OPTIONS } from '../../../shared/adapters/client-options.ts';
import type { LostEvents } from '../../../shared/adapters/eventbridge/event-bus.ts';
import { detailOf, type EventContext } from '../../../shared/adapters/eventbridge/event-detail.ts';
import { listedOrigins, listedTools } from '../../../shared/config/readers/listed-tools.ts';
import { isCanary } from '../../../shared/domain/canary.ts';
import type { EmittedEvent, GateEventSink } from '../../../shared/ports/gate-events.ts';
import { lazy } from '../lazy.ts';
import { policyFile } from '../policy-file.ts';
import { noteOperations } from './aws-operations.ts';
import { faultOf } from './fault.ts';
import { figuresOf, withListedTools } from './figures.ts';
import { count, log, measure, version } from './observe.ts';
import { traceOf } from './trace.ts';

const eventBridge = lazy(() => noteOperations(new EventBridgeClient(CLIENT_OPTIONS)));

/** Without the file no name is known. */
const listed = lazy(() => {
  try {
    const { policy } = policyFile();
    return { tools: listedTools(policy), origins: listedOrigins(policy) };
  } catch {
    return { tools: new Set<string>(), origins: new Set<string>() };
  }
});
const isListedTool = (tool: string): boolean => listed().tools.has(tool);
const isListedOrigin = (origin: string): boolean => listed().origins.has(origin);

let pending: EmittedEvent[] = [];

export const events: GateEventSink = {
  emit(event) {
    // The canary's proposals are nobody's work: they count in no figure, and go to no bus.
    if ('agentId' in event && isCanary(event.agentId)) return;
    pending.push(event);
    for (const figures of withListedTools(figuresOf(event), isListedTool, isListedOrigin))
      measure(figures, idsOf(event));
  },
};

/** Sends the events since the last call. Never rejects: lost events are counted, and raise an alarm. */
export async function sendEvents(requestId: string | undefined, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const emitted = pending;
  pending = [];
  if (emitted.length === 0) return;
  const context = { deployment: env['DEPLOYMENT'] ?? '', requestId };
  const bus = env['EVENT_BUS'];
  if (bus === 'log') for (const event of emitted) log('info', 'event', { run: true, ...detailOf(event, context) });
  else if (bus !== undefined) {
    const { lost, fault } = await putOn(bus, emitted, context).catch(
      (error: unknown): LostEvents => ({ lost: emitted.length, fault: error }),
    );
    if (lost) {
      count('EventsLost', lost);
      // No fault of the run, which raises pages about decisions: an alarm of its own counts what was lost.
      log('error', 'events could not be put on the bus', { run: true, events: lost, version, ...faultOf(fault) });
    }
  }
  await traceOf(emitted.map((event) => ({ name: event.name, ids: idsOf(event) })));
}

async function putOn(bus: string, emitted: readonly EmittedEvent[], context: EventContext): Promise<LostEvents> {
  const { putEvents } = await import('../../../shared/adapters/eventbridge/event-bus.ts');
  return putEvents(eventBridge(), bus, emitted, context);
}

function idsOf(event: EmittedEvent): Readonly<Record<string, string>> {
  if ('correlationId' in event) {
    const { correlationId, causationId, agentId } = event;
    return { correlationId, ...(causationId ? { pid: causationId } : {}), agentId };
  }
  if (!('agentId' in event)) return {};
  const { pid, proposalId, agentId } = event;
  return { ...(pid ? { pid } : {}), ...(proposalId ? { proposalId } : {}), agentId };
}
