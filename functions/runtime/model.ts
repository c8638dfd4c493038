/** The language model of auto mode, for `deliberate` alone (A18b). SDK and key are fetched with the first question; a failure asks a person. */
import type { Policy } from '../../shared/config/compile.ts';
import type { PermissionClassifier } from '../../shared/permissions/classifiers/classifier.ts';
import type { Model } from '../../shared/pipeline/classify.ts';
import { afterTimer } from './once.ts';
import { fetchSecret } from './secrets.ts';

type ModelSettings = NonNullable<NonNullable<Policy['settings']['classifier']>['model']>;

/** Undefined if the policy file names no model. `baseUrl` wins over the file's. */
export function modelOf(
  { settings }: Pick<Policy, 'settings'>,
  baseUrl: string | undefined,
  fetch: (name: string) => Promise<string> = fetchSecret,
): Model | undefined {
  const model = settings.classifier?.model;
  if (!model) return undefined;
  let loading: Promise<PermissionClassifier> | undefined;
  const loaded = () => {
    loading ??= load(model, baseUrl ?? model.baseUrl, fetch).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    name: `${model.provider}/${model.model}`.slice(0, 200),
    timeoutMs: model.timeout,
    classifier: { classify: async (request) => (await loaded()).classify(request) },
    after: afterTimer,
  };
}

async function load(
  { provider, model, secret, timeout: timeoutMs }: ModelSettings,
  baseURL: string | undefined,
  fetch: (name: string) => Promise<string>,
): Promise<PermissionClassifier> {
  const { LlmClassifier } = await import('../../shared/permissions/classifiers/llm-classifier.ts');
  const apiKey = (await fetch(secret)).trim();
  switch (provider) {
    case 'anthropic': {
      const { AnthropicClient } = await import('../../shared/adapters/llm/anthropic.ts');
      return new LlmClassifier(new AnthropicClient(apiKey, { baseURL, timeoutMs }), model);
    }
    case 'vercel': {
      const [{ VercelClient }, { createGateway }] = await Promise.all([
        import('../../shared/adapters/llm/vercel.ts'),
        import('ai'),
      ]);
      const gateway = createGateway({ apiKey, ...(baseURL ? { baseURL } : {}) });
      return new LlmClassifier(new VercelClient((name) => gateway(name), { timeoutMs }), model);
    }
    default:
      return provider satisfies never;
  }
}
