/** The guardrails of the task agent's tools, over the state that all processes share: loaded with the first message to it. */
import type { TaskGuard } from '../../shared/use-cases/conversation/task-guardrails.ts';
import { onceResolved } from './once.ts';
import { policy } from './wiring.ts';

const guard = onceResolved(async (stateTable: string): Promise<TaskGuard> => {
  const [{ guardrailPartsOf }, { taskGuard }] = await Promise.all([
    import('./guardrail-parts.ts'),
    import('../../shared/use-cases/conversation/task-guardrails.ts'),
  ]);
  return taskGuard({ ...guardrailPartsOf(stateTable), config: () => policy().guardrails });
});

export const lazyTaskGuard = (stateTable: string): TaskGuard => ({
  run: async (...call) => (await guard(stateTable)).run(...call),
});
