/**
 * Clients of language models, for `deliberate` alone.
 * SDK and key are fetched with the first question, and again if that failed.
 */
import type { ModelAccess } from '../../shared/config/schema/models.ts';
import type { LlmClient } from '../../shared/ports/llm-client.ts';

export type FetchSecret = (name: string) => Promise<string>;

/** `baseUrl` wins over the policy file's. */
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
  { provider, secret, timeout: timeoutMs }: ModelAccess,
  baseURL: string | undefined,
  fetch: FetchSecret,
): Promise<LlmClient> {
  const apiKey = (await fetch(secret)).trim();
  switch (provider) {
    case 'anthropic': {
      const { AnthropicClient } = await import('../../shared/adapters/llm/anthropic.ts');
      return new AnthropicClient(apiKey, { baseURL, timeoutMs });
    }
    case 'vercel': {
      const [{ VercelClient }, { createGateway }] = await Promise.all([
        import('../../shared/adapters/llm/vercel.ts'),
        import('ai'),
      ]);
      const gateway = createGateway({ apiKey, ...(baseURL ? { baseURL } : {}) });
      return new VercelClient((name) => gateway(name), { timeoutMs });
    }
    default:
      return provider satisfies never;
  }
}
