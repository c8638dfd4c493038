/** Stores outgoing messages in memory: cards and announcements, replies, deferred messages. */
import type { Decision } from '../../contract/decision.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  type CardQueue,
  type DeferredMessage,
  type DeferredQueue,
  lineOf,
  listLineOf,
  type ReplySender,
} from '../../ports/stores/outbox.ts';
import type { Timers } from '../../ports/timers.ts';
import type { SlackOutMessage } from '../sqs/slack-out-message.ts';
import { type JsonCopy, sharedOf, toCopy } from './stores/json-copy.ts';
import { getOrAdd } from './stores/state.ts';

/** SQS FIFO forgets a deduplication id after five minutes. */
const DEDUPLICATES_MS = 5 * 60_000;

/** Requests to draw a card or to tell a channel, by lines. */
interface CardLines {
  send(message: SlackOutMessage, line: string): void;
  readonly isIdle: boolean;
}

/** The same request asked twice within five minutes is drawn once. */
export function memoryCardQueue(clock: Clock, lines: () => CardLines): CardQueue {
  const seen = new Map<string, number>();
  const once = (id: string, message: SlackOutMessage, line: string) => {
    const now = clock.now();
    // The oldest come first.
    for (const [old, at] of seen) {
      if (now - at < DEDUPLICATES_MS) break;
      seen.delete(old);
    }
    if (seen.has(id)) return;
    seen.set(id, now);
    lines().send(message, line);
  };
  return {
    async refresh(pid, channel, revision, line) {
      const id = `${pid}#${revision}${line ? `#${line.only}` : ''}`;
      once(id, { kind: 'card', pid, only: line?.only, anew: line?.anew }, lineOf(channel, line));
    },
    async ran(pid, channel, ran, agent) {
      const line = lineOf(channel, { agent, only: 'update' });
      once(`${pid}#ran-${ran.permitId}#${channel}`, { kind: 'ran', pid, ran, channel }, line);
    },
    async direct(pid, person, key) {
      once(`${pid}#direct-${key}-${person.user}`, { kind: 'direct', pid, person, key }, `direct#${person.user}`);
    },
    async list(id, channel, agent, revision, anew) {
      once(`list#${id}#${revision}`, { kind: 'list', id, anew }, listLineOf(channel, agent));
    },
    async home(person, at) {
      const line = `home#${person.team}/${person.user}`;
      once(`${line}#${at}`, { kind: 'home', person, at }, line);
    },
    async announce(channel, text, id, unknownOf) {
      once(`announcement#${id}`, { kind: 'announcement', channel, text, unknownOf }, channel);
    },
    async isIdle() {
      return lines().isIdle;
    },
  };
}

interface MemoryReplies extends ReplySender {
  /** Decisions that were sent to one agent, at least once each, oldest first. */
  sentTo(agent: string): readonly Decision[];
  /** How often decisions for an agent were given up. */
  givenUp(agent: string): number;
}

export function memoryReplies(): MemoryReplies {
  const sent = new Map<string, JsonCopy<Decision>[]>();
  const lost = new Map<string, number>();
  return {
    async send(agent, decision) {
      getOrAdd(sent, agent, () => []).push(toCopy(decision));
    },
    async giveUp(agent) {
      lost.set(agent, (lost.get(agent) ?? 0) + 1);
    },
    sentTo: (agent) => (sent.get(agent) ?? []).map((decision) => sharedOf(decision) as Decision),
    givenUp: (agent) => lost.get(agent) ?? 0,
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
