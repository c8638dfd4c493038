/** Wires the language model of auto mode; a failure asks a person. */
import { randomUUID } from 'node:crypto';
import type { Policy } from '../../../shared/config/compile.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import type { Model } from '../../../shared/use-cases/resolvers/classify.ts';
import { fetchSecret } from '../clients/secrets.ts';
import { lazyAsync } from '../lazy.ts';
import { measured } from '../telemetry/dependencies.ts';
import { costOf, type FetchSecret, lazyLlm } from './llm.ts';

/** Undefined if the policy file names no model. `baseUrl` wins over the file's. */
export function modelOf(
  { settings }: Pick<Policy, 'settings'>,
  baseUrl: string | undefined,
  fetch: FetchSecret = fetchSecret,
): Model | undefined {
  const model = settings.classifier?.model;
  if (!model) return undefined;
  const { price, timeout: timeoutMs } = model;
  const name = `${model.provider}/${model.model}`.slice(0, 200);
  // Loaded with the first question to the model.
  const classifier = lazyAsync(async () => {
    const { LlmClassifier } = await import('../../../shared/permissions/classifiers/llm-classifier.ts');
    return new LlmClassifier(lazyLlm(model, baseUrl, fetch), model.model, { nonce: randomUUID });
  });
  const dependency = { kind: 'model', model: name, use: 'classifier', cost: costOf(price) } as const;
  return {
    name,
    timeoutMs,
    classifier: {
      // An answer that cannot be read is undecided, with no confidence at all.
      classify: (request) =>
        measured(
          dependency,
          timeoutMs,
          async () => (await classifier()).classify(request),
          ({ usage, confidence }) => ({ usage, isUsable: confidence > 0 }),
        ),
    },
    after: systemTimers.after,
  };
}
