/** Declares where guardrail events go: a bus, log lines, a list in a test. */
import type { GuardrailEventName } from '../domain/record/event-catalogue.ts';

export type { GuardrailEventName };

/** One event, already redacted: whatever is in it may be logged. */
export interface GuardrailEvent {
  readonly name: GuardrailEventName;
  readonly eventVersion: 1;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly correlationId: string;
  /** The cause of the call: at the gate, the pid of its proposal. */
  readonly causationId?: string | undefined;
  readonly tool: string;
  readonly origin: string;
  readonly agentId: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Takes the events of guarded calls. */
export interface EventSink {
  /** Must not decide what a call does: an error of the sink is dropped, and a promise that it returns is not awaited. */
  emit(event: GuardrailEvent): void;
}
