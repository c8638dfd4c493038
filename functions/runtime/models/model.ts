/** The language model of auto mode; a failure asks a person. */

import { randomUUID } from 'node:crypto';
import type { Policy } from '../../../shared/config/compile.ts';
import { LlmClassifier } from '../../../shared/permissions/classifiers/llm-classifier.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import type { Model } from '../../../shared/use-cases/resolvers/classify.ts';
import { fetchSecret } from '../secrets.ts';
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
  const classifier = new LlmClassifier(lazyLlm(model, baseUrl, fetch), model.model, { nonce: randomUUID });
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
          () => classifier.classify(request),
          ({ usage, confidence }) => ({ usage, isUsable: confidence > 0 }),
        ),
    },
    after: systemTimers.after,
  };
}
