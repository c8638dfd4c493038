/** Wires the guardrails of the task agent's tools, loaded with the first message to it. */
import type { TaskGuardrails } from '../../../shared/use-cases/conversation/task-guardrails.ts';
import { lazyAsync } from '../lazy.ts';
import { policy } from '../policy.ts';

const guard = lazyAsync(async (stateTable: string): Promise<TaskGuardrails> => {
  const [{ guardrailPartsOf }, { taskGuardrails }] = await Promise.all([
    import('./guardrail-parts.ts'),
    import('../../../shared/use-cases/conversation/task-guardrails.ts'),
  ]);
  return taskGuardrails({ ...guardrailPartsOf(stateTable), config: () => policy().guardrails });
});

export const lazyTaskGuard = (stateTable: string): TaskGuardrails => ({
  run: async (...call) => (await guard(stateTable)).run(...call),
});
