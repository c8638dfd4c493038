/** Asks models by the Vercel AI SDK, an optional peer that the first call loads. */
import type { LanguageModel } from 'ai';
import type { Duration } from '../../domain/duration.ts';
import { checkSettings, count, fn } from '../../domain/settings.ts';
import {
  ApiError,
  type Completion,
  type LlmClient,
  type Message,
  NetworkError,
  ParseError,
} from '../../ports/llm-client.ts';
import { wait, waitMs } from '../../ports/timers.ts';
import { notInstalled } from './not-installed.ts';
import { DEFAULT_TIMEOUT, MAX_TOKENS, splitSystem } from './split.ts';

/** Settings of `VercelClient`. */
export interface VercelOptions {
  /** How long one call may take as a whole. Default: `'30s'`. */
  readonly timeout?: Duration | undefined;
  /** Longest answer, in tokens. Default: 1024. */
  readonly maxTokens?: number | undefined;
}

/**
 * A language model of any provider of the Vercel AI SDK. The SDK `ai` has to be installed.
 *
 * @example
 * const { gateway } = await import('ai');
 * const client = new VercelClient((name) => gateway(name), { timeout: '20s' });
 * const policy = new LlmPolicy(client, 'openai/gpt-5');
 */
export class VercelClient implements LlmClient {
  readonly #provider: (model: string) => LanguageModel;
  readonly #options: VercelOptions;
  readonly #timeoutMs: number;

  /**
   * @param provider gives the model of a name, as in `new VercelClient(openai)`
   * @throws InvalidSettingError for a time-out that is none
   */
  constructor(provider: (model: string) => LanguageModel, options: VercelOptions = {}) {
    fn(provider, 'provider');
    checkSettings(options, { timeout: wait, maxTokens: count });
    this.#provider = provider;
    this.#timeoutMs = waitMs(options.timeout ?? DEFAULT_TIMEOUT, 'timeout');
    this.#options = options;
  }

  async complete(
    messages: readonly Message[],
    model: string,
    { signal: given }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Completion> {
    const { generateText, APICallError } = await import('ai').catch(notInstalled('ai'));
    const { turns, system } = splitSystem(messages);
    const late = AbortSignal.timeout(this.#timeoutMs);
    const signal = AbortSignal.any([late, ...(given ? [given] : [])]);
    try {
      const { text, usage, finishReason } = await generateText({
        model: this.#provider(model),
        ...(system === undefined ? {} : { instructions: system }),
        messages: turns,
        maxOutputTokens: this.#options.maxTokens ?? MAX_TOKENS,
        // Whether a question is asked again is the policy's choice, and journalled.
        maxRetries: 0,
        abortSignal: signal,
      });
      if (text === '') throw new ParseError('the answer holds no text');
      const { inputTokens = 0, outputTokens = 0 } = usage;
      return { text, ...(finishReason === 'stop' ? {} : { isCut: true }), usage: { inputTokens, outputTokens } };
    } catch (error) {
      if (error instanceof ParseError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      if (!APICallError.isInstance(error) || error.statusCode === undefined) {
        throw new NetworkError(message, { cause: error });
      }
      if (error.statusCode < 400) throw new ParseError(message, { cause: error });
      throw new ApiError(error.statusCode, message, { cause: error });
    }
  }
}
