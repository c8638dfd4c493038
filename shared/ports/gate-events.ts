/**
 * Declares the events that the gate emits once they are written down.
 *
 * The adapters know receivers and formats.
 */
import type { GATE_EVENTS, RECORD_EVENTS } from '../domain/record/event-catalogue.ts';
import type { GuardrailEvent } from './guardrail-events.ts';

export type GateEventName = keyof typeof GATE_EVENTS;

/** Names and figures only: nothing of an input, of a person or of a secret is ever in it. */
export interface GateEvent {
  readonly name: GateEventName;
  readonly eventVersion: 1;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly pid: string | null;
  readonly proposalId: string | null;
  readonly agentId: string;
  readonly sessionId?: string;
  /** Position of the entry of the record that it tells of, which gives the event its id, and is no word of it. */
  readonly entry?: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An event of the archived record, which belongs to no agent. */
interface RecordEvent {
  readonly name: keyof typeof RECORD_EVENTS;
  readonly eventVersion: 1;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

export type EmittedEvent = GateEvent | GuardrailEvent | RecordEvent;

/** Takes all kinds, so that it also is the `EventSink` that guardrails want. */
export interface GateEventSink {
  /** Must not throw, and must not wait: telling never changes what was decided. */
  emit(event: EmittedEvent): void;
}
