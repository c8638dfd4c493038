/** Has a language model pick the action. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import { anyText, checkSettings, having, natural, text } from '../domain/settings.ts';
import { type Completion, type LlmClient, LlmError, type TokenUsage } from '../ports/llm-client.ts';
import { completionOf } from '../ports/read-completion.ts';
import { type AgentPolicy, type ChooseOptions, reporter } from './agent-policy.ts';
import { readChoice } from './llm-answer.ts';
import { correction, firstMessages } from './llm-prompt.ts';

/** How often `LlmPolicy` tries again after an answer that it cannot read: 2. */
export const DEFAULT_MAX_RETRIES = 2;

/** How `LlmPolicy` asks its model. */
export interface LlmPolicyOptions {
  /** Replaces the default prompt entirely; empty means the default. */
  readonly systemPrompt?: string | undefined;
  /** Corrections after the first answer. */
  readonly maxRetries?: number | undefined;
}

/**
 * Answers an action of the space, or null for an answer that stays unusable. Throws InvalidSettingError for options that are none.
 *
 * @example
 * const policy = new LlmPolicy(model, 'claude-sonnet-4-5', { maxRetries: 1 });
 * console.log(await policy.choose(space, snapshot, { signal: AbortSignal.timeout(30_000) }));
 */
export class LlmPolicy implements AgentPolicy {
  readonly client: LlmClient;
  readonly model: string;
  readonly systemPrompt: string;
  readonly maxRetries: number;

  constructor(client: LlmClient, model: string, options: LlmPolicyOptions = {}) {
    having('complete')(client, 'client');
    text(model, 'model');
    checkSettings(options, { systemPrompt: anyText, maxRetries: natural });
    const maxRetries = options.maxRetries ?? DEFAULT_MAX_RETRIES;
    this.client = client;
    this.model = model;
    this.systemPrompt = options.systemPrompt ?? '';
    this.maxRetries = maxRetries;
  }

  async choose(actionSpace: ActionSpace, snapshot: AgentSnapshot, options: ChooseOptions = {}): Promise<Action | null> {
    const report = reporter(options, 'llm');
    if (actionSpace.actions.length === 0) return report('empty_space', null);
    const { signal } = options;
    let messages = firstMessages(actionSpace, snapshot, this.systemPrompt);
    const usage = { inputTokens: 0, outputTokens: 0, calls: 0 };
    let problem = '';
    for (let attempt = 0; attempt <= this.maxRetries; attempt += 1) {
      let completion: Completion;
      usage.calls += 1;
      try {
        completion = completionOf(await this.client.complete(messages, this.model, { signal }));
      } catch (error) {
        signal?.throwIfAborted();
        // No retry: asking again does not mend a network or a server.
        return report('client_failed', null, { detail: describe(error), usage });
      }
      signal?.throwIfAborted();
      add(usage, completion.usage);
      const choice = readChoice(completion, actionSpace);
      if (choice.ok) return report(choice.action ? 'chosen' : 'declined', choice.action, { usage });
      problem = choice.problem;
      messages = [...messages, ...correction(completion.text, problem)];
    }
    return report('attempts_exhausted', null, { detail: problem, usage });
  }
}

function add(total: { inputTokens: number; outputTokens: number }, usage: TokenUsage): void {
  total.inputTokens += usage.inputTokens;
  total.outputTokens += usage.outputTokens;
}

const describe = (error: unknown): string =>
  error instanceof LlmError ? `${error.code}: ${error.message}` : `unexpected: ${String(error)}`;
