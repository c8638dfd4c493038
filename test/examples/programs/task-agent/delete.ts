/** Deletes a task only after a person confirmed the question about that very task. */
import { type DecisionContext, defineTools, processMessage } from 'countersign/task-agent';

const milk = { id: '5d0a9a52-2f1c-4e0d-9d3a-0a8f0c8f2b11', description: 'buy milk', status: 'pending' } as const;
const deleted: string[] = [];
const failed = { success: false, error_code: 'NOT_FOUND' } as const;
const tools = defineTools({
  add_task: () => failed,
  list_tasks: () => ({ success: true, data: [milk] }),
  update_task: () => failed,
  complete_task: () => failed,
  delete_task: ({ task_id }) => {
    deleted.push(task_id);
    return { success: true, data: null };
  },
});
const ports = { clock: { now: () => Date.parse('2026-01-01T00:00:00Z') }, audit: { decided: () => undefined }, tools };
const context: DecisionContext = {
  user_id: 'u-1',
  conversation_id: '0b1cf2a0-51d5-4c0d-8a3e-3f6f6f0f9a11',
  message: 'delete buy milk',
};

const first = await processMessage(context, ports);
console.log(first.decision_type, deleted.length);
if (first.decision_type === 'REQUEST_CONFIRMATION') {
  const { created_at = '', expires_at = '', ...action } = first.pending_action;
  const second = await processMessage(
    { ...context, message: 'yes', pending_confirmation: { ...action, created_at, expires_at } },
    ports,
  );
  console.log(second.decision_type, deleted.length);
}

// Prints:
// REQUEST_CONFIRMATION 0
// EXECUTE_PENDING 1
