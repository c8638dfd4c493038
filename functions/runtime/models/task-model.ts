/**
 * Wires the language model of the task agent's classifier, for functions that may ask one.
 * SDK and key come with the first question.
 */
import type { Policy } from '../../../shared/config/compile.ts';
import { type IntentClassifier, modelClassifier } from '../../../shared/task-agent/index.ts';
import { fetchSecret } from '../clients/secrets.ts';
import { type FetchSecret, lazyLlm, measuredLlm } from './llm.ts';

/** Undefined if the policy file names no model: the patterns alone decide. `baseUrl` wins over the file's. */
export function taskClassifierOf(
  { settings }: Pick<Policy, 'settings'>,
  baseUrl: string | undefined,
  fetch: FetchSecret = fetchSecret,
): IntentClassifier | undefined {
  const model = settings.taskAgent.model;
  if (!model) return undefined;
  return modelClassifier({
    client: measuredLlm(
      lazyLlm(model, baseUrl, fetch),
      { kind: 'model', model: `${model.provider}/${model.model}`.slice(0, 200), use: 'task' },
      model.timeout,
    ),
    model: model.model,
    timeout: model.timeout,
  });
}
