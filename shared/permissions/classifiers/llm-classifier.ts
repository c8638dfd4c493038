/**
 * Asks a language model.
 * The call is data within JSON; the answer of the model is checked, never trusted.
 */
import { BUILT_IN_FINDER } from '../../domain/redaction/find.ts';
import { canBeJudged } from '../../domain/redaction/judgeable/judgeable.ts';
import { redact } from '../../domain/redaction/redact.ts';
import { checkSettings, fn, having, text } from '../../domain/settings.ts';
import type { LlmClient, TokenUsage } from '../../ports/llm-client.ts';
import { completionOf } from '../../ports/read-completion.ts';
import type { ClassifierResult } from '../model/types.ts';
import { MIN_CONFIDENCE } from '../stages/mode-dispatch.ts';
import { type ClassifierRequest, type PermissionClassifier, undecidedResult } from './classifier.ts';
import type { DenialTracker } from './denial-tracker.ts';
import { readClassifierAnswer } from './llm-answer.ts';
import { classifierMessages } from './question.ts';

/** How `LlmClassifier` asks its model. */
export interface LlmClassifierOptions {
  /** At its threshold the classifier no longer decides. */
  readonly tracker?: DenialTracker | undefined;
  /** A random word for each question; the answer has to repeat it. The gate always asks for one. */
  readonly nonce?: (() => string) | undefined;
}

/** An answer, with the tokens that its question took. */
export type ClassifiedByModel = Awaited<ReturnType<LlmClassifier['classify']>>;

/**
 * Has a language model judge calls in auto mode. An answer that cannot be read leaves the call undecided.
 *
 * @example
 * const classifier = new LlmClassifier(model, 'claude-sonnet-4-5');
 * const service = new PermissionService({ mode: 'auto', classifier, classifierTimeout: '5s' });
 * console.log(service.mode);
 */
export class LlmClassifier implements PermissionClassifier {
  readonly #client: LlmClient;
  readonly #model: string;
  readonly #tracker: DenialTracker | undefined;
  readonly #nonce: (() => string) | undefined;

  constructor(client: LlmClient, model: string, options: LlmClassifierOptions = {}) {
    having('complete')(client, 'client');
    text(model, 'model');
    checkSettings(options, { tracker: having('recordDenial'), nonce: fn });
    this.#client = client;
    this.#model = model;
    this.#tracker = options.tracker;
    this.#nonce = options.nonce;
  }

  /** Throws what the client throws: the service asks a person then. */
  async classify(request: ClassifierRequest): Promise<ClassifierResult & { readonly usage?: TokenUsage | undefined }> {
    if (this.#tracker?.shouldFallback() === true) return undecidedResult('too many denials: a person decides');
    const shown = request.isRedacted ? request : redacted(request);
    if (!shown) return undecidedResult('a secret hides a part of the call: a person decides');
    const nonce = this.#nonce?.();
    const { messages, truncated } = classifierMessages(shown, nonce);
    const answer = await this.#client.complete(messages, this.#model, { signal: request.signal });
    const { text, usage, isCut } = completionOf(answer);
    const result = isCut ? undecidedResult('the answer was cut') : readClassifierAnswer(text, nonce);
    // An allow for what was not read whole is none.
    if (truncated && !result.shouldBlock) return { ...undecidedResult('the input is too long to judge'), usage };
    // An unsure answer leaves the call to a person, and is neither a denial nor an allow.
    // One denial counts once.
    if (result.confidence >= MIN_CONFIDENCE && this.#tracker !== request.countedBy) {
      if (result.shouldBlock) this.#tracker?.recordDenial();
      else this.#tracker?.reset();
    }
    return { ...result, usage };
  }
}

/** The call without its secrets; undefined if a mark hides more than a value: nobody could judge it. */
function redacted(request: ClassifierRequest): ClassifierRequest | undefined {
  const { toolName, input, cwd } = request;
  const { value, found } = redact({ toolName, input, cwd }, BUILT_IN_FINDER);
  if (!found) return request;
  return canBeJudged(value) ? { ...request, ...value } : undefined;
}
