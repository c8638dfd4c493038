/** Makes a runner of five typed functions, and refuses data that the engine could not read. */
import type * as z from 'zod';
import { CountersignError } from '../../domain/errors.ts';
import { fn, record } from '../../domain/settings.ts';
import {
  type TaskRow,
  TOOL_DATA,
  TOOL_NAMES,
  type ToolCall,
  type ToolName,
  type ToolParameters,
  type ToolResult,
  toolCall,
  type toolErrorCode,
  toolResult,
} from './tool-schemas.ts';

/** The data that each tool answers with. */
export interface ToolResults {
  readonly add_task: TaskRow;
  /** Newest first: the order in which positions and numbers count. */
  readonly list_tasks: readonly TaskRow[];
  readonly update_task: TaskRow;
  readonly complete_task: TaskRow;
  readonly delete_task: null;
}

/** The answer of one tool. `error` is for operators: no word of it reaches a user. */
export type ToolAnswer<Name extends ToolName = ToolName> =
  | { readonly success: true; readonly data: ToolResults[Name] }
  | {
      readonly success: false;
      readonly error_code: z.infer<typeof toolErrorCode>;
      readonly error?: string | undefined;
    };

/** The five tools as functions of their parameters. */
export type TaskTools = {
  readonly [Name in ToolName]: (
    parameters: ToolParameters[Name],
    options: { readonly signal?: AbortSignal | undefined },
  ) => ToolAnswer<Name> | Promise<ToolAnswer<Name>>;
};

/** A tool has answered with data of another shape. The message names the tool and the field, and holds no value. */
export class InvalidToolResultError extends CountersignError<'invalid_tool_result'> {
  override readonly name = 'InvalidToolResultError';
  readonly tool: ToolName;
  /** As in `data.0.description`. */
  readonly field: string;
  constructor(tool: ToolName, field: string, problem: string) {
    super('invalid_tool_result', `${tool}: ${field}: ${problem}`);
    this.tool = tool;
    this.field = field;
  }
}

/**
 * A runner of the five tools, each with typed parameters and a typed answer.
 *
 * @returns the value of `tools` for `processMessage`: rejects with an `InvalidToolResultError` where a tool answers with data of another shape
 * @example
 * const row: TaskRow = { id: '0b1cf2a0-51d5-4c0d-8a3e-3f6f6f0f9a11', description: 'buy milk', status: 'pending' };
 * const tools = defineTools({
 *   add_task: ({ description }) => ({ success: true, data: { ...row, description } }),
 *   list_tasks: async () => ({ success: true, data: [row] }),
 *   update_task: () => ({ success: false, error_code: 'NOT_FOUND' }),
 *   complete_task: () => ({ success: true, data: { ...row, status: 'completed' } }),
 *   delete_task: () => ({ success: true, data: null }),
 * });
 * console.log(await tools({ tool_name: 'list_tasks', parameters: { user_id: 'u1' }, sequence: 1 }));
 */
export function defineTools(
  tools: TaskTools,
): (call: ToolCall, options?: { readonly signal?: AbortSignal | undefined }) => Promise<ToolResult> {
  record(tools, 'tools');
  for (const name of TOOL_NAMES) fn(tools[name], `tools.${name}`);
  return async (call, options = {}) => {
    const parsed = toolCall.safeParse(call);
    if (!parsed.success) return failure('VALIDATION_ERROR', 'the call does not match its schema');
    const answer = await run(tools, parsed.data, options);
    if (!answer.success) return failure(answer.error_code, answer.error);
    readData(parsed.data.tool_name, answer.data);
    return { success: true, data: answer.data, error: null, error_code: null };
  };
}

/** @throws InvalidToolResultError that names the first field which cannot be read */
export function readData<Name extends ToolName>(
  tool: Name,
  data: unknown,
): ReturnType<(typeof TOOL_DATA)[Name]['parse']> {
  const parsed = TOOL_DATA[tool].safeParse(data);
  if (parsed.success) return parsed.data as ReturnType<(typeof TOOL_DATA)[Name]['parse']>;
  const [issue] = parsed.error.issues;
  throw new InvalidToolResultError(tool, ['data', ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is invalid');
}

/** @throws InvalidToolResultError if a runner's answer is no result at all */
export function readResult(tool: ToolName, answer: unknown): ToolResult {
  const parsed = toolResult.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidToolResultError(tool, issue?.path.join('.') || 'the answer', issue?.message ?? 'is invalid');
}

function run(
  tools: TaskTools,
  call: ToolCall,
  options: { readonly signal?: AbortSignal | undefined },
): ToolAnswer | Promise<ToolAnswer> {
  switch (call.tool_name) {
    case 'add_task':
      return tools.add_task(call.parameters, options);
    case 'list_tasks':
      return tools.list_tasks(call.parameters, options);
    case 'update_task':
      return tools.update_task(call.parameters, options);
    case 'complete_task':
      return tools.complete_task(call.parameters, options);
    case 'delete_task':
      return tools.delete_task(call.parameters, options);
    default:
      return call satisfies never;
  }
}

const failure = (code: z.infer<typeof toolErrorCode>, error: string | undefined): ToolResult => ({
  success: false,
  data: null,
  error: error ?? null,
  error_code: code,
});
