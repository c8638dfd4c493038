/** Builds the world of guardrail tests: a small policy, scripted tools, events kept in a list. */
import { memoryGuardrailState } from '../../../shared/adapters/memory/guardrails/state.ts';
import { type GuardrailDependencies, Guardrails } from '../../../shared/guardrails/pipeline.ts';
import type { Attempt, GuardedTool, ToolInvocation } from '../../../shared/guardrails/settings/call.ts';
import { type GuardrailsConfig, loadGuardrails } from '../../../shared/guardrails/settings/config.ts';
import type { GuardrailEvent } from '../../../shared/ports/guardrail-events.ts';
import type { GuardrailState } from '../../../shared/ports/stores/guardrail-state.ts';
import { FakeRuntime } from './fake-runtime.ts';

export interface World {
  readonly runtime: FakeRuntime;
  readonly state: GuardrailState;
  readonly events: GuardrailEvent[];
  readonly guardrails: Guardrails;
  readonly calls: Attempt[];
  invoke(invocation?: Partial<ToolInvocation>): ReturnType<Guardrails['invoke']>;
  named(name: string): GuardrailEvent[];
}

export type ToolBehaviour = (attempt: Attempt, runtime: FakeRuntime) => Promise<unknown>;

export interface WorldOptions {
  /** Settings of the environment layer. */
  readonly environment?: Record<string, unknown>;
  /** Settings of the tool `t`. */
  readonly tool?: Record<string, unknown>;
  /** Further sections of the policy. */
  readonly config?: Record<string, unknown>;
  readonly behaviour?: ToolBehaviour;
  readonly tools?: readonly GuardedTool[];
  readonly binding?: Partial<Omit<GuardedTool, 'execute' | 'open'>>;
  readonly deps?: Partial<GuardrailDependencies>;
  readonly runtime?: FakeRuntime;
  readonly state?: GuardrailState;
}

export function policyOf({
  environment,
  tool,
  config,
}: Pick<WorldOptions, 'environment' | 'tool' | 'config'>): GuardrailsConfig {
  return loadGuardrails({
    environment: 'test',
    environments: { test: environment ?? {} },
    ...config,
    ...(tool ? { tools: { t: tool, ...(config?.['tools'] as object | undefined) } } : {}),
  });
}

export function world(options: WorldOptions = {}): World {
  const runtime = options.runtime ?? new FakeRuntime();
  const state = options.state ?? memoryGuardrailState(runtime.now);
  const events: GuardrailEvent[] = [];
  const calls: Attempt[] = [];
  const tool: GuardedTool = {
    name: 't',
    origin: 'local',
    ...options.binding,
    execute: async (attempt) => {
      calls.push(attempt);
      return options.behaviour ? options.behaviour(attempt, runtime) : 'done';
    },
  };
  const tools = [tool, ...(options.tools ?? [])];
  const guardrails = new Guardrails({
    config: policyOf(options),
    state,
    runtime,
    events: { emit: (event) => void events.push(event) },
    findTool: (name) => tools.find((one) => one.name === name),
    ...options.deps,
  });
  return {
    runtime,
    state,
    events,
    guardrails,
    calls,
    invoke: (invocation) => runtime.run(guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1', ...invocation })),
    named: (name) => events.filter((event) => event.name === name),
  };
}
