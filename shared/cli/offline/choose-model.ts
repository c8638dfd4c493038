/** Makes the client of a model that a choice in the terminal asks, with the keys of the environment. */
import { notInstalled } from '../../adapters/llm/not-installed.ts';
import type { Policy } from '../../config/compile.ts';
import type { ModelAccess } from '../../config/schema/models.ts';
import type { LlmClient } from '../../ports/llm-client.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';

const KEYS = { anthropic: 'ANTHROPIC_API_KEY', vercel: 'AI_GATEWAY_API_KEY' } as const;

/** Loads the SDK with the first question. @throws CliError without a key */
export function modelOf(name: string | undefined, models: Policy['settings']['models'], io: Io): LlmClient | undefined {
  const access = name === undefined ? Object.values(models)[0] : models[name];
  if (!access) return undefined;
  const load = loaderOf(access, io);
  return { complete: async (messages, model, options) => (await load()).complete(messages, model, options) };
}

function loaderOf({ provider, baseUrl, region, timeout }: ModelAccess, io: Io): () => Promise<LlmClient> {
  if (provider === 'bedrock')
    return async () => {
      const { BedrockClient } = await import('../../adapters/llm/bedrock.ts');
      return new BedrockClient({ region, baseURL: baseUrl, timeout });
    };
  const key = io.env[KEYS[provider]];
  if (!key) throw new CliError(`this policy asks a model: export ${KEYS[provider]}`, EXIT.usage);
  if (provider === 'anthropic')
    return async () => {
      const { AnthropicClient } = await import('../../adapters/llm/anthropic.ts');
      return new AnthropicClient(key, { timeout, baseURL: io.env['ANTHROPIC_BASE_URL'] || baseUrl });
    };
  return async () => {
    const [{ VercelClient }, { createGateway }] = await Promise.all([
      import('../../adapters/llm/vercel.ts'),
      import('ai').catch(notInstalled('ai')),
    ]);
    const gateway = createGateway({ apiKey: key, ...(baseUrl ? { baseURL: baseUrl } : {}) });
    return new VercelClient((id) => gateway(id), { timeout });
  };
}
