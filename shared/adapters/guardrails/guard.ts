/** Puts guardrails together from options, and calls a tool through them. */
import { type Duration, durationMs } from '../../domain/duration.ts';
import { InvalidSettingError } from '../../domain/errors.ts';
import { checkSettings } from '../../domain/settings.ts';
import type { SeriesSnapshot } from '../../guardrails/metrics.ts';
import { type Gauges, Guardrails } from '../../guardrails/pipeline.ts';
import type { GuardedResult, GuardedTool } from '../../guardrails/settings/call.ts';
import { loadGuardrails } from '../../guardrails/settings/config.ts';
import { GuardrailError } from '../../guardrails/settings/errors.ts';
import { type ExplainedSetting, explainGuardrails } from '../../guardrails/settings/explain.ts';
import { resolveGuardrails } from '../../guardrails/settings/resolve.ts';
import type { InvocationLimits } from '../../guardrails/settings/settings.ts';
import type { EventSink } from '../../ports/guardrail-events.ts';
import { CALL_CHECKS, CHECKS, type GuardedCallOptions, type GuardrailsOptions } from './guard-options.ts';
import { memoryGuardrails } from './parts.ts';

/** Tools behind their limits. */
export interface Guard {
  /**
   * Calls a tool and returns its output.
   *
   * @throws GuardrailError for a limit that refuses the call and for a call that fails, with the tool's own error as its `cause`;
   *   InvalidSettingError for a time-out that is none
   */
  call<Output = unknown>(tool: string, input: unknown, options: GuardedCallOptions): Promise<Output>;
  /** The same, with everything that is known of the call in the result. Never rejects for the call's own fate. */
  invoke(tool: string, input: unknown, options: GuardedCallOptions): Promise<GuardedResult>;
  /** The settings that hold for an agent's calls of a tool, each with the layer that it comes from. Empty for a tool that is not known. */
  explain(tool: string, agent: string): readonly ExplainedSetting[];
  /** Counts, errors and latencies of the calls so far, for each tool. */
  metrics(): readonly SeriesSnapshot[];
  /** How far the limits of an agent's calls of a tool are used up now; undefined for a tool that is not known. */
  gauges(tool: string, agent: string): Gauges | undefined;
}

/**
 * Puts time-outs, retries, circuit breakers, rates, concurrency limits and budgets around tools.
 *
 * @throws GuardrailError with the code `InvalidConfig`, which names the first value that is wrong; InvalidSettingError for two tools of one name
 * @example
 * const guard = guardrails({
 *   config: { environment: 'production', environments: { production: {} }, tools: { Refund: { ratePerSecond: 1, burst: 1 } } },
 *   tools: [{ name: 'Refund', origin: 'local', execute: async ({ input }) => `paid ${JSON.stringify(input)}` }],
 * });
 * console.log(await guard.call<string>('Refund', { order: 7 }, { agent: 'billing', timeout: '2s' }));
 */
export function guardrails(options: GuardrailsOptions): Guard {
  checkSettings(options, CHECKS, { required: ['config', 'tools'] });
  const { config, tools, parts = memoryGuardrails(), events = SILENT } = options;
  const byName = namedOnce(tools);
  const settings = loadGuardrails(config);
  const made = new Guardrails({
    ...parts,
    config: settings,
    events,
    findTool: (name) => byName.get(name),
  });
  const run = async (toolName: string, input: unknown, options: GuardedCallOptions) => {
    checkSettings(options, CALL_CHECKS, { required: ['agent'] });
    const { agent: agentId, timeout, limits, ...others } = options;
    return made.run({ toolName, input, agentId, limits: within(timeout, limits), ...others });
  };
  return {
    metrics: () => made.metrics.snapshot(),
    gauges(toolName, agentId) {
      const tool = byName.get(toolName);
      return tool && made.gauges({ toolName, origin: tool.origin, agentId });
    },
    explain(toolName, agentId) {
      const tool = byName.get(toolName);
      if (!tool) return [];
      const { origin } = tool;
      return explainGuardrails(resolveGuardrails(settings, { toolName, origin, agentId, now: parts.runtime.now() }));
    },
    invoke: async (...call) => (await run(...call)).result,
    async call<Output>(tool: string, input: unknown, options: GuardedCallOptions): Promise<Output> {
      const { result, cause } = await run(tool, input, options);
      const { status, output, error, effect } = result;
      if (status === 'Ok') return output as Output;
      const known = effect === 'succeeded' ? 'unknown' : effect;
      throw new GuardrailError(
        error?.category ?? 'SystemError',
        error?.code ?? 'Internal',
        error?.message ?? NO_RESULT,
        {
          details: error?.details ?? {},
          isRetryable: error?.isRetryable ?? false,
          effect: known,
          cause,
        },
      );
    },
  };
}

/** Refuses two tools of one name: the later one, of a server perhaps, would get the calls of the other. @throws InvalidSettingError */
function namedOnce(tools: readonly GuardedTool[]): ReadonlyMap<string, GuardedTool> {
  const byName = new Map<string, GuardedTool>();
  for (const tool of tools) {
    const { name } = tool;
    if (byName.has(name)) throw new InvalidSettingError('tools', `two are called ${name}: give each a name of its own`);
    byName.set(name, tool);
  }
  return byName;
}

/** The shorter one of a time-out and a limit on time holds. A limit that is none stays, to be named. */
function within(timeout: Duration | undefined, limits: InvocationLimits | undefined): InvocationLimits | undefined {
  if (timeout === undefined) return limits;
  const timeoutMs = durationMs(timeout, 'timeout');
  const stated = limits?.timeoutMs;
  return { ...limits, timeoutMs: stated === undefined || stated > timeoutMs ? timeoutMs : stated };
}

const NO_RESULT = 'The call ended without a result.';

const SILENT: EventSink = { emit: () => undefined };
