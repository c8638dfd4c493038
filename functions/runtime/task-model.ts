/** The language model of the task agent's classifier, for the functions that may ask one (A11, A18b). SDK and key come with the first question. */
import type { Policy } from '../../shared/config/compile.ts';
import type { LlmClient } from '../../shared/ports/llm-client.ts';
import { type IntentClassifier, modelClassifier } from '../../shared/task-agent/index.ts';
import { onceResolved } from './once.ts';
import { fetchSecret } from './secrets.ts';

type ModelSettings = NonNullable<Policy['settings']['taskAgent']['model']>;

/** Undefined if the policy file names no model: the patterns alone decide. `baseUrl` wins over the file's. */
export function taskClassifierOf(
  { settings }: Pick<Policy, 'settings'>,
  baseUrl: string | undefined,
  fetch: (name: string) => Promise<string> = fetchSecret,
): IntentClassifier | undefined {
  const model = settings.taskAgent.model;
  if (!model) return undefined;
  const loaded = onceResolved(() => load(model, baseUrl ?? model.baseUrl, fetch));
  const client: LlmClient = { complete: async (messages, name) => (await loaded()).complete(messages, name) };
  return modelClassifier({ client, model: model.model, timeoutMs: model.timeout });
}

async function load(
  { provider, secret, timeout: timeoutMs }: ModelSettings,
  baseURL: string | undefined,
  fetch: (name: string) => Promise<string>,
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
