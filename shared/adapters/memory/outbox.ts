/** What leaves the gate, in memory: cards and announcements, replies, deferred messages. */
import type { Decision } from '../../contract/decision.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CardQueue, DeferredMessage, DeferredQueue, ReplySender } from '../../ports/outbox.ts';
import type { SlackOutMessage } from '../sqs/outbox.ts';
import { getOrAdd } from './state.ts';
import type { Timers } from './timers.ts';

/** SQS FIFO forgets a deduplication id after five minutes. */
const DEDUPLICATES_MS = 5 * 60_000;

/** The same request asked twice within five minutes is drawn once (A22). `send` takes what is to be drawn or said. */
export function memoryCardQueue(clock: Clock, send: (message: SlackOutMessage) => void): CardQueue {
  const seen = new Map<string, number>();
  const once = (id: string, message: SlackOutMessage) => {
    const now = clock.now();
    for (const [old, at] of seen) if (now - at >= DEDUPLICATES_MS) seen.delete(old);
    if (seen.has(id)) return;
    seen.set(id, now);
    send(message);
  };
  return {
    async refresh(pid, _channel, revision) {
      once(`${pid}#${revision}`, { kind: 'card', pid });
    },
    async ran(pid, _channel, ran) {
      once(`${pid}#ran-${ran.permitId}`, { kind: 'ran', pid, ran });
    },
    async announce(channel, text, id) {
      once(`announcement#${id}`, { kind: 'announcement', channel, text });
    },
  };
}

export interface MemoryReplies extends ReplySender {
  /** What was sent to one agent, at least once each, oldest first. */
  sentTo(agent: string): readonly Decision[];
}

export function memoryReplies(): MemoryReplies {
  const sent = new Map<string, Decision[]>();
  return {
    async send(agent, decision) {
      getOrAdd(sent, agent, () => []).push(structuredClone(decision));
    },
    sentTo: (agent) => sent.get(agent) ?? [],
  };
}

/** SQS delays a message by at most 15 minutes. */
const MAX_DELAY_MS = 15 * 60_000;

export function memoryDeferredQueue(
  timers: Timers,
  receive: (message: DeferredMessage) => void,
  handedOver: (pid: string) => void,
): DeferredQueue {
  return {
    async handOver(pid) {
      timers.after(0, () => handedOver(pid));
    },
    async defer(message, delaySeconds) {
      timers.after(Math.min(MAX_DELAY_MS, Math.max(0, delaySeconds * 1_000)), () => receive(message));
    },
  };
}
