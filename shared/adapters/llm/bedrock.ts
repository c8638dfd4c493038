/** Asks any model of Amazon Bedrock, over its Converse operation and the process's AWS identity. */
import * as z from 'zod';
import { bedrockModel } from '../../domain/aws/bedrock-model.ts';
import type { Duration } from '../../domain/duration.ts';
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
import { BedrockRuntimeClient, ConverseCommand } from '../aws/signed/bedrock.ts';
import { ServiceException } from '../aws/signed/exception.ts';
import { INVOKE_OPTIONS } from '../client-options.ts';
import { DEFAULT_TIMEOUT, MAX_TOKENS, splitSystem } from './split.ts';

/** Settings of `BedrockClient`. */
export interface BedrockOptions {
  /** Default: the process's, as the AWS SDK finds it. The ARN of a model names its own. */
  readonly region?: string | undefined;
  /** Instead of the region's own address, such as that of a VPC endpoint. */
  readonly baseURL?: string | undefined;
  /** How long one call may take as a whole. Default: `'30s'`. */
  readonly timeout?: Duration | undefined;
  /** Longest answer, in tokens. Default: 1024. */
  readonly maxTokens?: number | undefined;
}

const CHECKS: Checks<BedrockOptions> = { region: text, baseURL: text, timeout: wait, maxTokens: count };

/** The fields of an answer that are read. */
const answer = z.object({
  output: z.object({ message: z.object({ content: z.array(z.object({ text: z.string().optional() })) }) }),
  stopReason: z.string().nullish(),
  usage: z.object({ inputTokens: z.number().default(0), outputTokens: z.number().default(0) }).prefault({}),
});

/**
 * A language model of Amazon Bedrock. Requests are signed with the keys of the process, which may `bedrock:InvokeModel`;
 * there is no API key.
 *
 * @example
 * const client = new BedrockClient({ region: 'eu-central-1', timeout: '20s' });
 * const policy = new LlmPolicy(client, 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0');
 */
export class BedrockClient implements LlmClient {
  readonly #options: BedrockOptions;
  readonly #timeoutMs: number;
  readonly #clients = new Map<string | undefined, BedrockRuntimeClient>();

  /** @throws InvalidSettingError for an empty region or address and a time-out that is none */
  constructor(options: BedrockOptions = {}) {
    checkSettings(options, CHECKS);
    this.#timeoutMs = waitMs(options.timeout ?? DEFAULT_TIMEOUT, 'timeout');
    this.#options = options;
  }

  async complete(
    messages: readonly Message[],
    model: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Completion> {
    const { turns, system } = splitSystem(messages);
    const command = new ConverseCommand({
      modelId: model,
      ...(system === undefined ? {} : { system: [{ text: system }] }),
      messages: turns.map(({ role, content }) => ({ role, content: [{ text: content }] })),
      inferenceConfig: { maxTokens: this.#options.maxTokens ?? MAX_TOKENS },
    });
    const abortSignal = AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), ...(signal ? [signal] : [])]);
    let reply: unknown;
    try {
      reply = await this.#clientFor(model).send(command, { abortSignal });
    } catch (error) {
      throw translate(error);
    }
    const read = answer.safeParse(reply);
    if (!read.success) throw new ParseError('the answer is not a message');
    const { output, stopReason, usage } = read.data;
    // A later block may take back what an earlier one says, so that no block is left out. A model's reasoning is no block of text.
    const texts = output.message.content.flatMap(({ text }) => text ?? []);
    const whole = texts.join('');
    if (whole === '') throw new ParseError('the answer holds no text');
    // A server that names no reason may be a proxy that drops it.
    const isCut = typeof stopReason === 'string' && stopReason !== 'end_turn';
    return { text: whole, ...(isCut ? { isCut } : {}), usage };
  }

  #clientFor(model: string): BedrockRuntimeClient {
    const { baseURL, region: stated } = this.#options;
    const read = bedrockModel(model);
    const region = read?.kind === 'arn' ? read.region : stated;
    const known = this.#clients.get(region);
    if (known) return known;
    // One try: whether a question is asked again is the policy's choice, and journalled.
    const made = new BedrockRuntimeClient({ ...INVOKE_OPTIONS, region, endpoint: baseURL });
    this.#clients.set(region, made);
    return made;
  }
}

function translate(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ServiceException)
    return new ApiError(error.$metadata.httpStatusCode, `${error.name}: ${message}`, { cause: error });
  if (error instanceof SyntaxError) return new ParseError(message, { cause: error });
  return new NetworkError(message, { cause: error });
}
