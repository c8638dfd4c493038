/**
 * Names the words of an event that consumers see, on the bus, in webhooks and in log lines alike.
 *
 * Words are the attributes of a CloudEvent 1.0, and beside them the words of events from before there were attributes.
 */
import { eventTypeOf } from '../../domain/record/event-catalogue.ts';
import { eventIdOf } from '../../domain/record/event-id.ts';
import type { EmittedEvent } from '../../ports/gate-events.ts';

export interface EventContext {
  readonly deployment: string;
  /** The invocation that told it, as it stands in the logs. */
  readonly requestId?: string | undefined;
}

/** A CloudEvent in its JSON form. */
export interface CloudEvent {
  readonly specversion: '1.0';
  /** The same for the same event, whoever tells it again. */
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: Readonly<Record<string, unknown>>;
}

/** Ids and figures; `at` in ISO 8601. */
export function detailOf(event: EmittedEvent, context: EventContext): Record<string, unknown> {
  const { name, at, detail, ...ids } = withoutEntry(event);
  const { deployment, requestId } = context;
  return {
    ...cloudEventOf(event, context),
    event: name,
    ...ids,
    at: new Date(at).toISOString(),
    deployment,
    ...(requestId === undefined ? {} : { requestId }),
    detail,
  };
}

/** Without the invocation that told it: it may leave the account. */
function cloudEventOf(event: EmittedEvent, { deployment }: EventContext): CloudEvent {
  const { name, eventVersion, at, detail, ...ids } = withoutEntry(event);
  const subject = subjectOf(event);
  return {
    specversion: '1.0',
    id: eventIdOf(deployment, event),
    source: `/countersign/${encodeURIComponent(deployment)}`,
    type: eventTypeOf(name, eventVersion),
    ...(subject ? { subject } : {}),
    time: new Date(at).toISOString(),
    datacontenttype: 'application/json',
    data: { ...ids, ...withoutTexts(detail) },
  };
}

function withoutEntry(event: EmittedEvent): EmittedEvent {
  if (!('entry' in event)) return event;
  const { entry: _, ...words } = event;
  return words;
}

/** The proposal where there is one, else the tool or the agent. */
function subjectOf(event: EmittedEvent): string | undefined {
  if ('tool' in event) return event.tool;
  return 'agentId' in event ? (event.proposalId ?? event.pid ?? event.agentId) : undefined;
}

/** The text of a tool's error may hold anything: its category and code are figures. */
function withoutTexts(detail: EmittedEvent['detail']): EmittedEvent['detail'] {
  const { error } = detail;
  if (typeof error !== 'object' || error === null) return detail;
  const { message: _, ...figures } = error as Record<string, unknown>;
  return { ...detail, error: figures };
}

/** The attributes of a CloudEvent, and nothing else, of the detail of an event; undefined if it has none. */
export function readCloudEvent(detail: Readonly<Record<string, unknown>>): CloudEvent | undefined {
  const { specversion, id, source, type, subject, time, datacontenttype, data } = detail;
  if (specversion !== '1.0' || typeof id !== 'string' || typeof type !== 'string' || typeof time !== 'string')
    return undefined;
  const event = { specversion, id, source, type, ...(subject === undefined ? {} : { subject }), time, datacontenttype };
  return { ...event, data } as CloudEvent;
}
