/**
 * The guardrails around the task agent's tools where the gate runs them itself: what the policy file says of such a call holds for it. A call
 * of which the file says nothing has the engine's own deadline, and costs no look at a limiter: the built-in limit of one call at a time would
 * have a second user refused.
 */
import { type GuardedCall, resolveCall } from '../config/guardrails.ts';
import type { GuardrailsConfig } from '../guardrails/config.ts';
import { systemError } from '../guardrails/errors.ts';
import { type GuardrailDeps, Guardrails } from '../guardrails/pipeline.ts';
import { DeadlineError, TASK_TOOLS, type ToolResult } from '../task-agent/index.ts';
import type { JudgedCall } from './settle.ts';

export interface TaskGuard {
  /**
   * What `work` gives, or a failure with the guardrail's code as its error. @throws DeadlineError past the deadline that the file sets.
   */
  run(agentId: string, call: JudgedCall, key: string, work: () => Promise<ToolResult>): Promise<ToolResult>;
}

type Deps = Pick<GuardrailDeps, 'state' | 'runtime' | 'events'> & { readonly config: () => GuardrailsConfig };

/** One for a process: the guardrails remember refusals and hold queues (A21). */
export function taskGuard({ config, ...deps }: Deps): TaskGuard {
  const running = new Map<string, () => Promise<ToolResult>>();
  const guardrails = new Guardrails({
    ...deps,
    get config() {
      return config();
    },
    findTool: (name) =>
      TASK_TOOLS.some((tool) => tool.name === name)
        ? { name, origin: 'local', execute: ({ correlationId }) => resultOf(running.get(correlationId)) }
        : undefined,
    agentShare: true,
  });
  return {
    async run(agentId, { call: { toolName, input } }, key, work) {
      if (!isLimited(config(), { toolName, agentId, now: deps.runtime.now() })) return work();
      const correlationId = deps.runtime.newId();
      running.set(correlationId, work);
      try {
        const { status, output, error } = await guardrails.invoke({
          ...{ toolName, input, agentId, correlationId, idempotencyKey: key },
        });
        if (status === 'Ok') return output as ToolResult;
        if (error?.code === 'Timeout') throw new DeadlineError();
        return { success: false, data: null, error: error?.code ?? 'Internal', error_code: null };
      } finally {
        running.delete(correlationId);
      }
    },
  };
}

/** Whether any layer of the file speaks of the call. */
function isLimited(config: GuardrailsConfig, call: GuardedCall): boolean {
  const { layers, budgets, provider } = resolveCall({ guardrails: config }, call);
  const limits = Object.keys(provider).length > 1;
  return limits || budgets.length > 0 || Object.values(layers).some((layer) => layer !== 'built-in');
}

/** A tool that says no is no tool that fails: only a fault counts against the circuit. */
async function resultOf(work: (() => Promise<ToolResult>) | undefined): Promise<ToolResult> {
  if (!work) throw systemError('Internal', 'The call is over.');
  const result = await work();
  if (!result.success && result.error_code === 'DATABASE_ERROR') throw systemError('Internal', 'The tool failed.');
  return result;
}
