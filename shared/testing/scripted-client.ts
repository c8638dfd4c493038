/** Plays a model by its script; a test fails that asks it more or less. */
import { iterable } from '../domain/settings.ts';
import type { Completion, LlmClient, Message } from '../ports/llm-client.ts';

/** A text, a text with its cost, or an error to throw. */
export type ScriptedReply = string | Completion | Error;

/** One call that a `ScriptedClient` got. */
export interface ScriptedCall {
  readonly messages: readonly Message[];
  readonly model: string;
}

/** A language model that gives its replies in order, and fails if there are more calls than replies. */
export class ScriptedClient implements LlmClient {
  readonly calls: ScriptedCall[] = [];
  readonly #replies: readonly ScriptedReply[];

  constructor(replies: Iterable<ScriptedReply>) {
    iterable(replies, 'replies');
    this.#replies = [...replies];
  }

  async complete(messages: readonly Message[], model: string): Promise<Completion> {
    const reply = this.#replies[this.calls.length];
    this.calls.push({ messages, model });
    if (reply === undefined) throw new Error(`the script has no reply ${this.calls.length}`);
    if (reply instanceof Error) throw reply;
    return typeof reply === 'string' ? { text: reply, usage: { inputTokens: 0, outputTokens: 0 } } : reply;
  }

  /** Policies survive a client that throws, so a script that was too short shows here. */
  assertDone(): void {
    if (this.calls.length !== this.#replies.length) {
      throw new Error(`the script has ${this.#replies.length} replies, ${this.calls.length} were asked for`);
    }
  }
}
