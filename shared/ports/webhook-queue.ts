/** Declares the line to the webhooks of the policy file, for events that are sent again. */
import type { GateEvent } from './gate-events.ts';

export interface WebhookQueue {
  /** Rejects if the queue did not take all of them: those that it took are sent, and are sent again with the next try. */
  put(webhook: string, events: readonly GateEvent[]): Promise<void>;
}
