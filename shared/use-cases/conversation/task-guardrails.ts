/**
 * Runs the task agent's tools under the guardrails of the policy file.
 * A call that the file does not mention has the engine's own deadline and meets no limiter, because the built-in limit of one call at a time would
 * refuse a second user.
 */
import { type GuardedCall, resolveCall } from '../../config/readers/guardrails-of.ts';
import { type GuardrailDependencies, Guardrails } from '../../guardrails/pipeline.ts';
import type { GuardrailsConfig } from '../../guardrails/settings/config.ts';
import { systemError } from '../../guardrails/settings/errors.ts';
import type { ResolvedGuardrails } from '../../guardrails/settings/resolve.ts';
import type { SetTimer } from '../../ports/timers.ts';
import { LATE, withTimeout } from '../../ports/with-timeout.ts';
import { DeadlineError, type ToolResult } from '../../task-agent/index.ts';
import { TASK_TOOLS } from '../../task-agent/tools/tool-definitions.ts';
import type { CallWithVerdict } from '../kernel/calls/authorization/call-with-verdict.ts';

export interface TaskGuardrails {
  /**
   * Returns the result of `work`, or a failure with the guardrail's code as its error. @throws DeadlineError past the deadline that the file sets.
   */
  run(agentId: string, call: CallWithVerdict, key: string, work: () => Promise<ToolResult>): Promise<ToolResult>;
}

type Deps = Pick<GuardrailDependencies, 'state' | 'runtime' | 'events'> & { readonly config: () => GuardrailsConfig };

/** Admitted calls that a process remembers: more than can be decided anew at the same time. */
const MAX_ADMITTED = 1_000;

/** One for a process: the guardrails remember refusals and hold queues. */
export function taskGuardrails({ config, ...deps }: Deps): TaskGuardrails {
  const running = new Map<string, () => Promise<ToolResult>>();
  const admitted = new Set<string>();
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
    async run(agentId, { call: { toolName, input }, actionDigest }, key, work) {
      const limits = limitsOf(config(), { toolName, agentId, now: deps.runtime.now() });
      if (!limits) return work();
      // Decided anew after a conflict of writes, a call has been admitted and counted: its deadline is what still holds.
      const same = `${key} ${actionDigest}`;
      if (admitted.has(same)) return inTime(limits.settings.timeoutMs, deps.runtime, work);
      const correlationId = deps.runtime.newId();
      running.set(correlationId, work);
      try {
        const { status, output, error } = await guardrails.invoke({
          ...{ toolName, input, agentId, correlationId, idempotencyKey: key },
        });
        if (status === 'Ok') {
          remember(admitted, same);
          return output as ToolResult;
        }
        if (error?.code === 'Timeout') throw new DeadlineError();
        return { success: false, data: null, error: error?.code ?? 'Internal', error_code: null };
      } finally {
        running.delete(correlationId);
      }
    },
  };
}

/** The limits of the call, if any layer of the file names it. */
function limitsOf(config: GuardrailsConfig, call: GuardedCall): ResolvedGuardrails | undefined {
  const resolved = resolveCall({ guardrails: config }, call);
  const { layers, budgets, provider } = resolved;
  const isShared = Object.keys(provider).length > 1;
  const isLimited = isShared || budgets.length > 0 || Object.values(layers).some((layer) => layer !== 'built-in');
  return isLimited ? resolved : undefined;
}

function remember(admitted: Set<string>, call: string): void {
  admitted.add(call);
  const [oldest] = admitted;
  if (admitted.size > MAX_ADMITTED && oldest !== undefined) admitted.delete(oldest);
}

async function inTime(ms: number, { sleep }: GuardrailDependencies['runtime'], work: () => Promise<ToolResult>) {
  const result = await withTimeout(ms, timerBy(sleep), work);
  if (result === LATE) throw new DeadlineError();
  return result;
}

/** The runtime's sleep ends early where it is called off. */
const timerBy =
  (sleep: GuardrailDependencies['runtime']['sleep']): SetTimer =>
  (ms, work) => {
    const over = new AbortController();
    void sleep(ms, over.signal).then(() => (over.signal.aborted ? undefined : work()));
    return () => over.abort();
  };

/** A tool that says no is no tool that fails: only a fault counts against the circuit. */
async function resultOf(work: (() => Promise<ToolResult>) | undefined): Promise<ToolResult> {
  if (!work) throw systemError('Internal', 'The call is over.');
  const result = await work();
  if (!result.success && result.error_code === 'DATABASE_ERROR') throw systemError('Internal', 'The tool failed.');
  return result;
}
