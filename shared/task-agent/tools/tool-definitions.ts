/**
 * Declares the five tools as the gate sees them: schema, permissions and effect.
 *
 * For the tool registry of a policy file.
 */
import { TOOL_INPUT_SCHEMAS } from './tool-input-schemas.ts';
import { TOOL_NAMES } from './tool-names.ts';
import type { ToolName } from './tool-schemas.ts';

/** A tool with its description and parameters, for a model. */
interface ToolDefinition {
  readonly name: ToolName;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly inputSchema: unknown;
  readonly permissions: readonly ('Read' | 'Write')[];
  readonly effect: 'ReadOnly' | 'IdempotentWrite' | 'NonIdempotentWrite';
  readonly severity: 'low' | 'medium';
  /** `requester`: whoever asked confirms; `none`: nobody is asked. */
  readonly confirmation: 'none' | 'requester';
}

type Traits = Omit<ToolDefinition, 'name' | 'inputSchema'>;

const TRAITS: Record<ToolName, Traits> = {
  add_task: write('Adds a task to the list of the user.', 'NonIdempotentWrite'),
  list_tasks: {
    description: 'Lists the tasks of the user, newest first.',
    permissions: ['Read'],
    effect: 'ReadOnly',
    severity: 'low',
    confirmation: 'none',
  },
  update_task: write('Changes the description of a task.', 'IdempotentWrite'),
  complete_task: write('Marks a task as completed.', 'IdempotentWrite'),
  delete_task: {
    ...write('Deletes a task for good.', 'IdempotentWrite'),
    severity: 'medium',
    confirmation: 'requester',
  },
};

function write(description: string, effect: ToolDefinition['effect']): Traits {
  return { description, permissions: ['Write'], effect, severity: 'low', confirmation: 'none' };
}

/** The five tools with their descriptions, for a model. */
export const TASK_TOOLS: readonly ToolDefinition[] = TOOL_NAMES.map((name) => ({
  name,
  inputSchema: TOOL_INPUT_SCHEMAS[name],
  ...TRAITS[name],
}));
