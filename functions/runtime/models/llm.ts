/**
 * Makes clients of language models, for `deliberate` alone.
 * SDK and key are fetched with the first question, and again if that failed.
 */
import type { ModelAccess } from '../../../shared/config/schema/models.ts';
import type { LlmClient, TokenUsage } from '../../../shared/ports/llm-client.ts';
import { completionOf } from '../../../shared/ports/read-completion.ts';
import { measured, readKey } from '../telemetry/dependencies.ts';
import type { Dependency } from '../telemetry/dependency-figures.ts';

/** Micro-dollars of a call: dollars a million tokens are micro-dollars a token. */
export const costOf =
  (price: { readonly input: number; readonly output: number } | undefined) =>
  ({ inputTokens, outputTokens }: TokenUsage): number | undefined =>
    price && Math.ceil(inputTokens * price.input + outputTokens * price.output);

/** Wraps a client so that each of its calls is measured. */
export const measuredLlm = (llm: LlmClient, dependency: Dependency, timeoutMs: number): LlmClient => ({
  complete: (messages, model, options) =>
    measured(
      dependency,
      timeoutMs,
      async () => completionOf(await llm.complete(messages, model, options)),
      ({ usage, isCut }) => ({ usage, isUsable: isCut !== true }),
    ),
});

export type FetchSecret = (name: string) => Promise<string>;

/** Makes the client. `baseUrl` wins over the policy file's. */
export function lazyLlm(access: ModelAccess, baseUrl: string | undefined, fetch: FetchSecret): LlmClient {
  let loading: Promise<LlmClient> | undefined;
  return {
    async complete(messages, model, options) {
      loading ??= load(access, baseUrl ?? access.baseUrl, fetch).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return (await loading).complete(messages, model, options);
    },
  };
}

async function load(
  { provider, secret, region, timeout }: ModelAccess,
  baseURL: string | undefined,
  fetch: FetchSecret,
): Promise<LlmClient> {
  switch (provider) {
    case 'anthropic': {
      const apiKey = await keyOf(secret, fetch);
      const { AnthropicClient } = await import('../../../shared/adapters/llm/anthropic.ts');
      return new AnthropicClient(apiKey, { baseURL, timeout });
    }
    case 'vercel': {
      const apiKey = await keyOf(secret, fetch);
      const [{ VercelClient }, { createGateway }] = await Promise.all([
        import('../../../shared/adapters/llm/vercel.ts'),
        import('ai'),
      ]);
      const gateway = createGateway({ apiKey, ...(baseURL ? { baseURL } : {}) });
      return new VercelClient((name) => gateway(name), { timeout });
    }
    case 'bedrock': {
      const { BedrockClient } = await import('../../../shared/adapters/llm/bedrock.ts');
      return new BedrockClient({ region, baseURL, timeout });
    }
    default:
      return provider satisfies never;
  }
}

function keyOf(secret: string | undefined, fetch: FetchSecret): Promise<string> {
  return readKey(async () => {
    if (secret === undefined) throw new Error('the policy file names no secret with the key of this model');
    return (await fetch(secret)).trim();
  });
}
