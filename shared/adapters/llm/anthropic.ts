/**
 * Asks models by Anthropic's Messages API, through its official SDK.
 * The SDK is an optional peer, loaded at the first call.
 */
import type Anthropic from '@anthropic-ai/sdk';
import * as z from 'zod';
import type { Duration } from '../../domain/duration.ts';
import { InvalidSettingError } from '../../domain/errors.ts';
import { type Checks, checkSettings, count, text } from '../../domain/settings.ts';
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

/** The address of Anthropic's API. */
export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';
const ANTHROPIC_VERSION = '2023-06-01';

/** Settings of `AnthropicClient`. */
export interface AnthropicOptions {
  /** Default: Anthropic's own address. */
  readonly baseURL?: string | undefined;
  /** How long one call may take as a whole. Default: `'30s'`. */
  readonly timeout?: Duration | undefined;
  /** Longest answer, in tokens. Default: 1024. */
  readonly maxTokens?: number | undefined;
}

const CHECKS: Checks<AnthropicOptions> = { baseURL: text, timeout: wait, maxTokens: count };

/** The fields of a message that are read: the SDK hands on anything that the wire held. */
const answer = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z.object({ input_tokens: z.number().default(0), output_tokens: z.number().default(0) }).prefault({}),
});

/**
 * A language model of Anthropic. The SDK `@anthropic-ai/sdk` has to be installed.
 *
 * @example
 * const client = AnthropicClient.fromEnv({ timeout: '20s' });
 * const policy = new LlmPolicy(client, 'claude-sonnet-4-5');
 */
export class AnthropicClient implements LlmClient {
  readonly #apiKey: string;
  readonly #options: AnthropicOptions;
  readonly #timeoutMs: number;
  #sdk: Promise<{ readonly api: Anthropic; readonly errors: typeof Anthropic }> | undefined;

  /** @throws InvalidSettingError for an empty key and a time-out that is none */
  constructor(apiKey: string, options: AnthropicOptions = {}) {
    checkSettings(options, CHECKS);
    if (apiKey) text(apiKey, 'apiKey');
    else throw new InvalidSettingError('apiKey', 'an AnthropicClient needs an API key');
    this.#timeoutMs = waitMs(options.timeout ?? DEFAULT_TIMEOUT, 'timeout');
    this.#apiKey = apiKey;
    this.#options = options;
  }

  /** A client with the key of `ANTHROPIC_API_KEY`. @throws InvalidSettingError if the variable is not set */
  static fromEnv(
    options: AnthropicOptions = {},
    env: Readonly<Record<string, string | undefined>> = process.env,
  ): AnthropicClient {
    const key = env['ANTHROPIC_API_KEY'];
    if (!key) throw new InvalidSettingError('ANTHROPIC_API_KEY', 'the variable is not set');
    return new AnthropicClient(key, options);
  }

  async complete(
    messages: readonly Message[],
    model: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Completion> {
    this.#sdk ??= this.#load();
    const { api, errors } = await this.#sdk;
    const { turns, ...system } = splitSystem(messages);
    let reply: unknown;
    try {
      reply = await api.messages.create(
        { model, max_tokens: this.#options.maxTokens ?? MAX_TOKENS, ...system, messages: turns },
        { signal: AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), ...(signal ? [signal] : [])]) },
      );
    } catch (error) {
      throw translate(error, errors);
    }
    const read = answer.safeParse(reply);
    if (!read.success) throw new ParseError('the answer is not a message');
    const { content, stop_reason: stopped, usage } = read.data;
    const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
    // A later block may take back what an earlier one says, so that no block is left out.
    const text = texts.join('');
    if (text === '') throw new ParseError('the answer holds no text');
    // A server that names no reason may be a proxy that drops it.
    const isCut = typeof stopped === 'string' && stopped !== 'end_turn';
    return {
      text,
      ...(isCut ? { isCut } : {}),
      usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens },
    };
  }

  async #load() {
    const { default: Sdk } = await import('@anthropic-ai/sdk').catch(notInstalled('@anthropic-ai/sdk'));
    const api = new Sdk({
      apiKey: this.#apiKey,
      // Without these headers the SDK sends a bearer token and the API version of its own release. Proxies of the API
      // know the headers, and this client sends and reads the same in both versions.
      defaultHeaders: { 'x-api-key': this.#apiKey, authorization: null, 'anthropic-version': ANTHROPIC_VERSION },
      baseURL: this.#options.baseURL ?? ANTHROPIC_BASE_URL,
      // Whether a question is asked again is the policy's choice, and journalled.
      maxRetries: 0,
      timeout: this.#timeoutMs,
    });
    return { api, errors: Sdk };
  }
}

function translate(error: unknown, { APIConnectionError, APIError, APIUserAbortError }: typeof Anthropic): Error {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof APIConnectionError || error instanceof APIUserAbortError) {
    return new NetworkError(message, { cause: error });
  }
  if (error instanceof APIError && error.status !== undefined)
    return new ApiError(error.status, message, { cause: error });
  if (error instanceof SyntaxError) return new ParseError(message, { cause: error });
  return new NetworkError(message, { cause: error });
}
