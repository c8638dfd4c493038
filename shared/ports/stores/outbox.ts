/**
 * Declares the messages that leave the gate after a write: cards, replies, deferred work.
 * All at least once.
 */
import type { Decision, Outcome, Person } from '../../contract/index.ts';
import { sha256Hex } from '../../domain/digest.ts';

/** The outcome of an approved call for people: the error's code, never its text, which may hold anything. */
export type Ran = Pick<Outcome, 'callId' | 'permitId' | 'status' | 'durationMs'> & {
  readonly toolName?: string | undefined;
  readonly errorCode?: string | undefined;
};

/** Posting waits for Slack's limits in another line than updating, and each agent has lines of its own. */
export interface CardLine {
  readonly agent: string;
  /** `post`: a card where one is missing; `update`: the cards that stand. */
  readonly only: 'post' | 'update';
  /**
   * Also where the row says that its cards show its state: somebody may have drawn an older one over it. `look`: or may have deleted it; one
   * look at a list is for all of its calls.
   */
  readonly anew?: true | 'look' | undefined;
}

/**
 * Names the FIFO group of a card: the posts of one agent in a channel are one group, its updates there another. Cards that wait for Slack then
 * hold up only cards of the same agent. The revision deduplicates.
 */
export const lineOf = (channel: string, line?: CardLine): string =>
  line ? groupOf(`${channel}#${line.agent}#${line.only}`) : channel;

/** An agent's lists in a channel are a group, so that one list is drawn by one worker at a time. */
export const listLineOf = (channel: string, agent: string): string => groupOf(`${channel}#${agent}#list`);

/** SQS takes 128 characters, and an agent's name alone may have as many. */
const groupOf = (name: string): string => (name.length > 128 ? sha256Hex(name) : name);

/** Asks for the card of an approval to be posted, or drawn again from its row. */
export interface CardQueue {
  /** `revision` with `pid` and line names the request, so that the same one asked twice is drawn once. Without a line: all that is to do. */
  refresh(pid: string, channel: string, revision: string, line?: CardLine): Promise<void>;
  /** Whether nothing waits to be drawn: a card that is missing then is not on its way. */
  isIdle(): Promise<boolean>;
  /** Shows on an approval's cards what happened when the action ran, in the line of their updates; once for each permit. */
  ran(pid: string, channel: string, ran: Ran, agent: string): Promise<void>;
  /** Tells one person directly that an approval waits for them; once for each `key`, in a line of their own. */
  direct(pid: string, person: Person, key: string): Promise<void>;
  /** Draws the list of calls in a line of its own; once for each `revision`. */
  list(id: string, channel: string, agent: string, revision: string, anew?: true): Promise<void>;
  /** Draws the App Home of somebody at this time, in milliseconds; asked again for the same time it is drawn once. */
  home(person: Person, at: number): Promise<void>;
  /**
   * A line in a channel that everybody there reads. `unknownOf`: the agent of the run that it tells of, whose end nobody knows; of many such runs
   * the channel is told together.
   */
  announce(channel: string, text: string, id: string, unknownOf?: string): Promise<void>;
}

/** An agent's own queue is gone, or is closed to the gate: trying again does not help. */
export class ReplyRefusedError extends Error {
  override readonly name = 'ReplyRefusedError';
}

/** Where an agent's decisions go could not be found out: nothing is known of its queue. */
export class ReplyQueueUnknownError extends Error {
  override readonly name = 'ReplyQueueUnknownError';
}

/** Sends decisions to the queues that agents registered; does nothing for an agent without one. */
export interface ReplySender {
  /**
   * @param isRepeat the agent proposed the same again: its decision is an old one
   * @throws {ReplyRefusedError}, {ReplyQueueUnknownError}, or any fault that may pass.
   */
  send(agent: string, decision: Decision, isRepeat?: boolean): Promise<void>;
  /** The agent's queue took no decision for too long: counted under the agent's name, for an alarm. The decision stands in the record. */
  giveUp(agent: string): Promise<void>;
}

/** A deferred message, with its sender and the time it first came. */
export interface DeferredMessage {
  readonly principal: string;
  /** The message group that it was sent under: the agent whom the sender speaks for. */
  readonly groupId?: string | undefined;
  readonly firstSentAt: number;
  readonly messageId: string;
  readonly rounds: number;
  readonly raw: string;
  /** The sender's rate lets it be worked when it comes back: it is not counted again. */
  readonly admitted?: boolean | undefined;
  /** A model or a hook may be asked about it, which takes its time. */
  readonly isSlow?: boolean | undefined;
}

/** An approval whose run needs a model. */
export interface HandedOver {
  readonly handedOver: string;
}

export interface DeferredQueue {
  defer(message: DeferredMessage, delaySeconds: number): Promise<void>;
  /** The run of an approval goes on where models may be asked. */
  handOver(pid: string): Promise<void>;
}
