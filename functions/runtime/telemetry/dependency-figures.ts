/** Names the figures of a call of a model or a hook. Pure. */
import type { TokenUsage } from '../../../shared/ports/llm-client.ts';
import type { Figures } from './figures.ts';

/** A model or a hook of the policy file, whose names bound the series. */
export type Dependency =
  | {
      readonly kind: 'model';
      readonly model: string;
      readonly use: 'classifier' | 'policy' | 'task';
      /** Micro-dollars, if the policy file says what tokens cost. */
      readonly cost?: ((usage: TokenUsage) => number | undefined) | undefined;
    }
  | { readonly kind: 'hook'; readonly hook: string };

interface DependencyCall {
  /** Absent after a usable answer. */
  readonly code?: string | undefined;
  readonly usage?: TokenUsage | undefined;
  readonly latencyMs: number;
}

export function figuresOfCall(dependency: Dependency, { code, usage, latencyMs }: DependencyCall): Figures[] {
  if (dependency.kind === 'hook') {
    const hook = { hook: dependency.hook };
    return [
      { values: { HookCalls: 1, HookLatency: latencyMs }, by: [hook] },
      ...(code === undefined ? [] : [{ values: { HookErrors: 1 }, by: [hook, { code }] }]),
    ];
  }
  const { model, use, cost } = dependency;
  const price = usage && cost?.(usage);
  return [
    { values: { ModelCalls: 1, ModelLatency: latencyMs }, by: [{ model, use }] },
    ...(code === undefined ? [] : [{ values: { ModelErrors: 1 }, by: [{ model, use }, { code }] }]),
    ...(usage
      ? [
          {
            values: {
              ModelInputTokens: usage.inputTokens,
              ModelOutputTokens: usage.outputTokens,
              ...(price === undefined ? {} : { ModelCostMicroUsd: price }),
            },
            by: [{ model }],
          },
        ]
      : []),
  ];
}
