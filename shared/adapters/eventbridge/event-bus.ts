/** Emits events on an EventBridge bus: the event's name as detail type, ids and figures as detail. */
import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import type { EmittedEvent } from '../../ports/gate-events.ts';
import { detailOf, type EventContext } from './event-detail.ts';

const EVENT_SOURCE = 'countersign';

/** PutEvents takes ten entries and 256 KB; an entry of ours that is larger than its share says that it was cut. */
const AT_ONCE = 10;
const MAX_BYTES = 24 * 1024;
/** Telling must never hold up a function for long. */
const PUT_TIMEOUT_MS = 1_000;

/** `fault`: why the first of them was lost. */
export interface LostEvents {
  readonly lost: number;
  readonly fault?: unknown;
}

/** EventBridge took the request, and not this entry. `code` is its own word for the reason. */
class EventRefusedError extends Error {
  override readonly name = 'EventRefusedError';
  readonly code: string | undefined;
  constructor(code: string | undefined) {
    super('EventBridge did not take an event');
    this.code = code;
  }
}

/** Sends what it can and answers how many were lost; never rejects. */
export async function putEvents(
  client: EventBridgeClient,
  bus: string,
  events: readonly EmittedEvent[],
  context: EventContext,
): Promise<LostEvents> {
  const entries = events.map((event) => entryOf(event, bus, context));
  const chunks = Array.from({ length: Math.ceil(entries.length / AT_ONCE) }, (_, index) =>
    entries.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  );
  const abortSignal = AbortSignal.timeout(PUT_TIMEOUT_MS);
  const results = await Promise.all(
    chunks.map((sent) =>
      client.send(new PutEventsCommand({ Entries: sent }), { abortSignal }).then(
        ({ FailedEntryCount: lost = 0, Entries = [] }): LostEvents =>
          lost
            ? { lost, fault: new EventRefusedError(Entries.find(({ ErrorCode }) => ErrorCode)?.ErrorCode) }
            : { lost },
        (fault: unknown): LostEvents => ({ lost: sent.length, fault }),
      ),
    ),
  );
  const [first] = results.filter(({ lost }) => lost > 0);
  return { lost: results.reduce((sum, { lost }) => sum + lost, 0), ...(first ? { fault: first.fault } : {}) };
}

function entryOf(event: EmittedEvent, bus: string, context: EventContext): PutEventsRequestEntry {
  const whole = JSON.stringify(detailOf(event, context));
  const fits = Buffer.byteLength(whole) <= MAX_BYTES;
  return {
    EventBusName: bus,
    Source: EVENT_SOURCE,
    DetailType: event.name,
    Time: new Date(event.at),
    Detail: fits ? whole : JSON.stringify(detailOf({ ...event, detail: { cut: true } }, context)),
  };
}
