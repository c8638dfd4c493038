/** Names the five task tools: apart, for whoever needs no schema of them. */
export const TOOL_NAMES = ['add_task', 'list_tasks', 'update_task', 'complete_task', 'delete_task'] as const;
