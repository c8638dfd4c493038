/** Declares tools, calls to them, and their results. */
import { type Checks, checkSettings, fn, oneOf, record, text, unfit } from '../../domain/settings.ts';
import {
  checked,
  isSchema,
  SchemaError,
  type SchemaOutput,
  type StandardSchema,
} from '../../domain/standard-schema.ts';

/** `Mutating` is the default: a tool wrongly taken for a reader would race other tools. */
export type ToolClass = 'ReadOnly' | 'Mutating';

/** A `ToolExecutor`, as far as agents and their tools use it. */
export interface GatedExecutor {
  readonly registry: { get(name: string): AgentTool | undefined; list(): readonly AgentTool[] };
  /** `context`: the signal and the depth of the run that the call belongs to. Default: no signal, depth 0. */
  executeOne(call: AgentToolCall, context?: Partial<Pick<ToolContext, 'signal' | 'depth'>>): Promise<AgentToolResult>;
  executeBatch(
    calls: readonly AgentToolCall[],
    context?: Partial<Pick<ToolContext, 'signal' | 'depth'>>,
  ): Promise<readonly AgentToolResult[]>;
}

/** Facts about one call, for its tool. */
export interface ToolContext {
  /** Aborts when the run is cancelled; a running tool watches it itself. */
  readonly signal: AbortSignal;
  /** The executor that runs this tool: sub-agents use it, and so stand behind the same gates. */
  readonly executor: GatedExecutor;
  /** 0 for the agent itself, one more for each agent below it. */
  readonly depth: number;
}

/** An `error` is an answer for the model, like a thrown error, but in the tool's own words. */
export type ToolOutput = string | { readonly error: string };

/** A tool as a model knows it. */
export interface ToolSummary {
  readonly name: string;
  /** When to use the tool, and what it gives. */
  readonly description?: string | undefined;
  /** Schema of the input, of zod or another library of Standard Schema. */
  readonly input?: StandardSchema | undefined;
}

/** A tool of an agent. `tool` makes one whose input is checked. */
export interface AgentTool extends ToolSummary {
  /** Default `Mutating`, but for the built-in names. */
  readonly class?: ToolClass;
  /** Gets whatever the model wrote, unless `tool` made it. */
  readonly execute: (input: unknown, context: ToolContext) => Promise<ToolOutput> | ToolOutput;
}

/** A tool with a description and a schema, for `tool`. */
export interface AgentToolDefinition<S extends StandardSchema> {
  readonly name: string;
  /** When to use the tool, and what it gives: for the model. */
  readonly description: string;
  /** Schema of the input. The tool gets its result: defaults filled in, values converted. */
  readonly input: S;
  /** Default `Mutating`, but for the built-in names. */
  readonly class?: ToolClass | undefined;
  readonly execute: (input: SchemaOutput<S>, context: ToolContext) => Promise<ToolOutput> | ToolOutput;
}

/**
 * A tool that runs with checked input only. Input that the schema refuses becomes an answer for the model, which names the field.
 *
 * @example
 * const read = tool({
 *   name: 'read_order',
 *   description: 'Reads one order by its id.',
 *   class: 'ReadOnly',
 *   input: z.object({ orderId: z.string() }),
 *   execute: ({ orderId }) => `order ${orderId}: paid`,
 * });
 * console.log(read.description);
 */
export function tool<S extends StandardSchema>(options: AgentToolDefinition<S>): AgentTool {
  checkSettings(options as object as AgentToolDefinition<StandardSchema>, TOOL_CHECKS, {
    of: 'definition',
    required: ['name', 'description', 'input', 'execute'],
  });
  const { execute, ...definition } = options;
  const { class: toolClass, ...rest } = definition;
  return {
    ...rest,
    ...(toolClass === undefined ? {} : { class: toolClass }),
    async execute(input, context) {
      let checkedInput: SchemaOutput<S>;
      try {
        checkedInput = await checked(definition.input, input, 'invalid_input');
      } catch (error) {
        if (error instanceof SchemaError) return { error: `Error: ${error.message}` };
        throw error;
      }
      return execute(checkedInput, context);
    },
  };
}

const TOOL_CHECKS: Checks<AgentToolDefinition<StandardSchema>> = {
  name: text,
  description: text,
  input(value, setting) {
    if (!isSchema(value)) throw unfit(value, setting, 'a schema of zod or another library of Standard Schema');
  },
  class: oneOf('ReadOnly', 'Mutating'),
  execute: fn,
};

/** A call that a model makes. */
export interface AgentToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Exactly one for each call, with its id. */
export interface AgentToolResult {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: string;
  readonly isError: boolean;
}

/** Tools that only read, by the names of the contract and by those of Claude Code. A tool that is not listed is mutating. */
const BUILT_IN_READERS: ReadonlySet<string> = new Set([
  ...['read', 'glob', 'grep', 'web_fetch'],
  ...['Read', 'Glob', 'Grep', 'WebFetch'],
]);

export const classOf = (tool: Pick<AgentTool, 'name' | 'class'>): ToolClass =>
  tool.class ?? (BUILT_IN_READERS.has(tool.name) ? 'ReadOnly' : 'Mutating');

/** @internal Checks that a value is a tool. */
export function isTool(value: unknown, setting: string): void {
  record(value, setting);
  const { name, execute } = value as Partial<AgentTool>;
  text(name, `${setting}.name`);
  fn(execute, `${setting}.execute`);
}
