/** Declares tools, calls to them, and their results. */

/** `Mutating` is the default: a tool wrongly taken for a reader would race other tools. */
export type ToolClass = 'ReadOnly' | 'Mutating';

/** The signal and the depth of the run that a tool belongs to. */
export interface ExecutionContext {
  readonly signal?: AbortSignal;
  readonly depth?: number;
}

/** A `ToolExecutor`, as far as agents and their tools use it. */
export interface GatedExecutor {
  readonly registry: { get(name: string): Tool | undefined };
  executeOne(call: ToolCall, context?: ExecutionContext): Promise<ToolResult>;
  executeBatch(calls: readonly ToolCall[], context?: ExecutionContext): Promise<readonly ToolResult[]>;
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

/** A tool of an agent. */
export interface Tool {
  readonly name: string;
  /** Default `Mutating`, but for the built-in names. */
  readonly class?: ToolClass;
  execute(input: unknown, context: ToolContext): Promise<ToolOutput> | ToolOutput;
}

/** A call that a model makes. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Exactly one for each call, with its id. */
export interface ToolResult {
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

export const classOf = (tool: Pick<Tool, 'name' | 'class'>): ToolClass =>
  tool.class ?? (BUILT_IN_READERS.has(tool.name) ? 'ReadOnly' : 'Mutating');
