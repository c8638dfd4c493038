/** Declares the names, parameters and results of the five task tools. */
import * as z from 'zod';

const userId = z.string().min(1);
const taskId = z.guid();

const MAX_DESCRIPTION = 1000;
/** 1 to 1000 code points. The JSON Schema's lengths count the same; zod's own `max` would count UTF-16 units. */
export const description = z
  .string()
  .refine((text) => text !== '' && text.length <= 2 * MAX_DESCRIPTION && [...text].length <= MAX_DESCRIPTION)
  .meta({ minLength: 1, maxLength: MAX_DESCRIPTION });

/** All parameters are required and no other is taken: a hint for the engine has no place in them. */
export const TOOL_PARAMETERS = {
  add_task: z.strictObject({ user_id: userId, description }),
  list_tasks: z.strictObject({ user_id: userId }),
  update_task: z.strictObject({ user_id: userId, task_id: taskId, description }),
  complete_task: z.strictObject({ user_id: userId, task_id: taskId }),
  delete_task: z.strictObject({ user_id: userId, task_id: taskId }),
} as const;

/** One of the five tools. */
export type ToolName = keyof typeof TOOL_PARAMETERS;
/** Names of the five tools. */
export { TOOL_NAMES } from './tool-names.ts';

/** The parameters of each tool. `user_id` is whoever wrote the message: a tool acts in this name alone. */
export type ToolParameters = {
  readonly [Name in ToolName]: Readonly<z.infer<(typeof TOOL_PARAMETERS)[Name]>>;
};

const sequence = z.int().min(1);
const call = <N extends ToolName>(name: N) =>
  z.strictObject({ tool_name: z.literal(name), parameters: TOOL_PARAMETERS[name], sequence });

export const toolCall = z.discriminatedUnion('tool_name', [
  call('add_task'),
  call('list_tasks'),
  call('update_task'),
  call('complete_task'),
  call('delete_task'),
]);
/** A call of one of the five tools. */
export type ToolCall = z.infer<typeof toolCall>;

/** Why a tool refused. */
export const toolErrorCode = z.enum(['VALIDATION_ERROR', 'NOT_FOUND', 'ACCESS_DENIED', 'DATABASE_ERROR']);

/** The answer of a tool. `error` is for operators: no word of `error` reaches a user. */
export const toolResult = z.object({
  success: z.boolean(),
  data: z.unknown().optional(),
  error: z.string().nullish(),
  error_code: z.string().nullish(),
});
/** The answer of a tool of the task agent, as any runner may give it. `ToolAnswer` is the typed one. */
export type ToolResult = z.infer<typeof toolResult>;

/** One row of list_tasks. `user_id` is read only to drop rows that are not the user's; an `id` may name no task. */
const taskRow = z
  .object({
    id: z.string(),
    description: z.string(),
    status: z.enum(['pending', 'completed']).optional(),
    completed: z.boolean().optional(),
    user_id: z.string().optional(),
  })
  .transform((row) => ({
    id: row.id,
    description: row.description,
    completed: row.completed ?? row.status === 'completed',
    owner: row.user_id,
  }));
/** One task as the tools give it. `status` or `completed` tells whether it is done; a row with another `user_id` is dropped. */
export type TaskRow = Readonly<z.input<typeof taskRow>> & {
  readonly created_at?: string | undefined;
  readonly completed_at?: string | null | undefined;
};
/** One task as the engine reads it. */
export type ListedTask = z.output<typeof taskRow>;

/** The data of each tool's success. */
export const TOOL_DATA = {
  add_task: taskRow,
  list_tasks: z.array(taskRow),
  update_task: taskRow,
  complete_task: taskRow,
  delete_task: z.null().optional(),
} as const satisfies Record<ToolName, z.ZodType>;
