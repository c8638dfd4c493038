/** Declares the task agent's chat: messages of people, waiting in order, and replies to them. */
import type { Person } from '../contract/approval.ts';

interface PersonMessage {
  /** Names the message; a second delivery is not answered again. */
  readonly id: string;
  readonly person: Person;
  readonly channel: string;
  /** The conversation, a UUID: the thread, or the direct messages outside of threads. */
  readonly conversation: string;
  /** When the gate was told, in milliseconds. */
  readonly at: number;
}

export type ConversationMessage =
  | (PersonMessage & {
      readonly kind: 'message';
      readonly text: string;
      /** The message's place in its channel. */
      readonly ts: string;
      /** The thread that the answer goes to; absent: beside the message. */
      readonly thread?: string | undefined;
      /** The conversation outside of a thread in direct messages: the thread may be about its question. */
      readonly outside?: string | undefined;
    })
  | (PersonMessage & {
      readonly kind: 'button';
      readonly choice: 'yes' | 'no';
      /** The pid of the message that the question answered. */
      readonly asks: string;
      /** The message with the button. */
      readonly ts: string;
      /** Whether that message is our own app's and shows the button. */
      readonly isOwn: boolean;
    });

/** In order within a conversation, at least once. */
export interface ConversationQueue {
  send(message: ConversationMessage): Promise<void>;
}

/** A reply as a person sees it. */
export interface Reply {
  readonly text: string;
  /** Offered to whoever is asked: what the buttons name. */
  readonly question?: { readonly asks: string; readonly conversation: string } | undefined;
}

/** Where a reply stands in the chat. */
export interface ReplyMessage {
  readonly channel: string;
  readonly ts: string;
}

export interface MessageSender {
  send(at: { readonly channel: string; readonly thread?: string | undefined }, reply: Reply): Promise<ReplyMessage>;
  change(at: ReplyMessage, reply: Reply): Promise<void>;
  /** Only this person sees it. */
  whisper(channel: string, user: string, text: string): Promise<void>;
}

export interface StoredReply extends ReplyMessage {
  /** The person whom it answers. */
  readonly person: Person;
  /** False: it only says that the answer takes a moment. */
  readonly final: boolean;
  readonly text: string;
}

/** Replies by the pid of what they answer, so that a message that comes twice is answered once. */
export interface ReplyStore {
  read(pid: string): Promise<StoredReply | undefined>;
  put(pid: string, reply: StoredReply, now: number): Promise<void>;
}
