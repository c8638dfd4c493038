/** What leaves the gate after a state change was written: cards, replies, deferred work. All at least once. */
import type { Decision } from '../contract/index.ts';

/** Asks for the card of an approval to be posted, or drawn again from its row. */
export interface CardQueue {
  /** `revision` with `pid` names the request, so that the same one asked twice is drawn once. */
  refresh(pid: string, channel: string, revision: string): Promise<void>;
  /** A line in a channel that everybody there reads (A5). */
  announce(channel: string, text: string, id: string): Promise<void>;
}

/** Sends decisions to the queues that agents registered (A13); does nothing for an agent without one. */
export interface ReplySender {
  send(agent: string, decision: Decision): Promise<void>;
}

/** A message put aside, with who sent it and when it came first (A12). */
export interface DeferredMessage {
  readonly principal: string;
  readonly firstSentAt: number;
  readonly messageId: string;
  readonly rounds: number;
  readonly raw: string;
}

export interface DeferredQueue {
  defer(message: DeferredMessage, delaySeconds: number): Promise<void>;
}
