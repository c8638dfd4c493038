/** Declares a language model behind any API: messages in, text and its cost out. */
import { CountersignError } from '../domain/errors.ts';

/** One message of a conversation with a language model. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Tokens that a call of a language model took. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A language model's answer. */
export interface Completion {
  /** All that the model wrote, in order. */
  readonly text: string;
  /** The provider says that the model did not come to its end: it was cut, or it refused. */
  readonly isCut?: true | undefined;
  readonly usage: TokenUsage;
}

/** A language model. Implementations are in `countersign/llm/anthropic`, `…/bedrock` and `…/vercel`; any object with `complete` is one. */
export interface LlmClient {
  /**
   * One call, never repeated by the client itself.
   *
   * @param options `signal` ends the call when nobody waits for its answer
   * @returns the completion, or its text alone where the tokens are not known
   * @throws NetworkError, ApiError or ParseError; NetworkError as well after an abort
   */
  complete(
    messages: readonly Message[],
    model: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Completion | string>;
}

/** `network`: no answer; `api`: a status that says no; `parse`: an answer without text. */
export type LlmErrorKind = 'network' | 'api' | 'parse';

/** Why a language model gave no usable answer; `kind` tells which. */
export abstract class LlmError extends CountersignError {
  abstract readonly kind: LlmErrorKind;
}

/** No answer: no connection, or none in time. */
export class NetworkError extends LlmError {
  readonly kind = 'network';
  constructor(message: string, options?: ErrorOptions) {
    super('llm_network_error', message, options);
  }
}

/** An answer with an HTTP status that says no. */
export class ApiError extends LlmError {
  readonly kind = 'api';
  readonly status: number;
  constructor(status: number, message: string, options?: ErrorOptions) {
    super('llm_api_error', message, options);
    this.status = status;
  }
}

/** An answer that holds no text. The meaning of a text is not the client's business. */
export class ParseError extends LlmError {
  readonly kind = 'parse';
  constructor(message: string, options?: ErrorOptions) {
    super('llm_parse_error', message, options);
  }
}
