/** Runs the smallest loop that uses the gate: asks the model, runs its calls, returns their results. */
import { CountersignError } from '../../domain/errors.ts';
import {
  anyText,
  type Checks,
  checkSettings,
  count,
  fn,
  having,
  signal as isSignal,
  natural,
} from '../../domain/settings.ts';
import {
  type AgentToolCall,
  type AgentToolResult,
  classOf,
  type GatedExecutor,
  type ToolClass,
  type ToolSummary,
} from './tool.ts';

/** One turn of a model. */
export interface ModelTurn {
  readonly text?: string;
  readonly toolUses?: readonly AgentToolCall[];
}

/** One message of an agent's conversation. */
export type AgentMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly turn: ModelTurn }
  | { readonly role: 'tool'; readonly results: readonly AgentToolResult[] };

/** The model of an agent: messages in, text or tool calls out. */
export interface Model {
  /** @param tools the tools that the model may call */
  next(messages: readonly AgentMessage[], signal: AbortSignal, tools: readonly ToolSummary[]): Promise<ModelTurn>;
}

/** `ToolCallPending` comes once for each call, before the gate, after the `ToolUse` of the same call. */
export type AgentEvent =
  | { readonly type: 'Text'; readonly text: string }
  | { readonly type: 'ToolUse'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'ToolCallPending';
      readonly id: string;
      readonly name: string;
      readonly class: ToolClass;
      readonly input: unknown;
    }
  | { readonly type: 'ToolResult'; readonly result: AgentToolResult };

/** The end of a run: the text, and what was called. */
export interface AgentResult {
  /** The last words of the model. */
  readonly text: string;
  readonly messages: readonly AgentMessage[];
  readonly stopReason: 'done' | 'max_turns';
}

/** Carries what was done until the cancel, each call with its result. */
export class AgentCancelledError extends CountersignError {
  readonly partial: Omit<AgentResult, 'stopReason'>;
  constructor(partial: Omit<AgentResult, 'stopReason'>) {
    super('agent_cancelled', 'the agent was cancelled');
    this.partial = partial;
  }
}

/** Options of one run. All are optional. */
export interface AgentOptions {
  /** Cancels the run, which then ends in an `AgentCancelledError`. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
  /** Turns of the model. Default 32. */
  readonly maxTurns?: number;
  /** Agents above this one. Default 0. */
  readonly depth?: number;
}

interface RunOptions extends AgentOptions {
  readonly model: Model;
  readonly executor: GatedExecutor;
}

const RUN_CHECKS: Checks<RunOptions> = {
  model: having('next'),
  executor: having('executeOne', 'executeBatch'),
  signal: isSignal,
  onEvent: fn,
  maxTurns: count,
  depth: natural,
};

/** Runs an agent until its model has no more calls to make, or the signal aborts. */
export async function runAgent(prompt: string, options: RunOptions): Promise<AgentResult> {
  anyText(prompt, 'prompt');
  checkSettings(options, RUN_CHECKS, { required: ['model', 'executor'] });
  const { model, executor, onEvent = () => {}, maxTurns = 32, depth = 0 } = options;
  const signal = options.signal ?? new AbortController().signal;
  const messages: AgentMessage[] = [{ role: 'user', text: prompt }];
  let text = '';
  const stopIfCancelled = () => {
    if (signal.aborted) throw new AgentCancelledError({ text, messages: [...messages] });
  };
  for (let turns = 0; turns < maxTurns; turns += 1) {
    stopIfCancelled();
    const turn = await unlessCancelled(model.next([...messages], signal, executor.registry.list()), signal);
    stopIfCancelled();
    if (turn === undefined) continue;
    messages.push({ role: 'assistant', turn });
    const calls = turn.toolUses ?? [];
    if (turn.text) {
      text = turn.text;
      onEvent({ type: 'Text', text });
    }
    if (calls.length === 0) return { text, messages, stopReason: 'done' };
    for (const { id, name, input } of calls) onEvent({ type: 'ToolUse', id, name, input });
    for (const { id, name, input } of calls) {
      onEvent({ type: 'ToolCallPending', id, name, class: classOf(executor.registry.get(name) ?? { name }), input });
    }
    const results = await executor.executeBatch(calls, { signal, depth });
    for (const result of results) onEvent({ type: 'ToolResult', result });
    messages.push({ role: 'tool', results });
  }
  stopIfCancelled();
  return { text, messages, stopReason: 'max_turns' };
}

/** Nothing, as soon as the signal aborts: a model that does not listen is not waited for. */
async function unlessCancelled<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  let stop = () => {};
  const cancelled = new Promise<undefined>((resolve) => {
    const listener = () => resolve(undefined);
    signal.addEventListener('abort', listener, { once: true });
    stop = () => signal.removeEventListener('abort', listener);
  });
  try {
    return await Promise.race([work, cancelled]);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    stop();
  }
}
