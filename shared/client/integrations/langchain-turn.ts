/** Reads the calls of one turn from a request of LangChain. */
import { InvalidSettingError } from '../../domain/errors.ts';
import { shown } from '../../domain/settings.ts';
import type { GuardedCall } from '../calls/guarded-call.ts';
import { withMethod } from './common/with-signal.ts';

/** One call of a model as LangChain states it. */
export interface LangChainToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** LangGraph's notes on the task that it runs. A task that was interrupted begins anew, with all of its calls. */
export interface LangChainTask {
  /** One for each interrupt of the task that was resumed. */
  readonly resume?: readonly unknown[];
  /** Holds the call of a task that has a single one. */
  readonly currentTaskInput?: unknown;
}

/** Reads the messages of a state, also where the state is the list itself. */
export const messagesOf = (state: LangChainRequest['state']): readonly object[] =>
  (Array.isArray(state) ? state : state?.messages) ?? [];

/** The fields of a tool call's request that the gate reads. */
export interface LangChainRequest {
  readonly toolCall: LangChainToolCall;
  /** Undefined for a name that no tool of the agent has. A tool of the model's provider cannot be invoked. */
  readonly tool?: { readonly schema?: unknown } | undefined;
  /** The thread so far. The model's last message holds the calls of the turn. */
  readonly state?: { readonly messages?: readonly object[] };
  readonly runtime: {
    readonly configurable?: { readonly thread_id?: string; readonly __pregel_scratchpad?: LangChainTask } | undefined;
    readonly signal?: AbortSignal | undefined;
  };
}

export const guardedCall = ({ id: callId = '', name: tool, args: input }: LangChainToolCall): GuardedCall => ({
  callId,
  tool,
  input,
});

/** LangChain's name for calls that state a structured response and run nothing. */
const STRUCTURED = /^extract-\d+$/;

/** The calls of the model's last message that run. */
export function turnOf({ state }: LangChainRequest): GuardedCall[] {
  const messages: readonly { readonly tool_calls?: readonly LangChainToolCall[] }[] = messagesOf(state);
  const calls = messages.findLast((message) => message.tool_calls)?.tool_calls ?? [];
  return calls.filter(({ name }) => !STRUCTURED.test(name)).map(guardedCall);
}

/** LangChain gives a tool the signal of its run. The tool of a call under a permit has to see the deadline as well. */
export function toolUntil({ tool }: LangChainRequest, until: AbortSignal): Pick<LangChainRequest, 'tool'> {
  const { invoke } = Object(tool) as { readonly invoke?: (call: unknown, config: Config) => unknown };
  if (!tool || typeof invoke !== 'function') return {};
  const untilThen = (call: unknown, config: Config) => {
    const signal = config.signal ? AbortSignal.any([config.signal, until]) : until;
    return invoke.call(tool, call, { ...config, signal });
  };
  return { tool: withMethod(tool, 'invoke', untilThen) };
}

interface Config {
  readonly signal?: AbortSignal | undefined;
}

/** @throws InvalidSettingError without a thread: a resumed run would ask people anew */
export function threadOf(configurable: LangChainRequest['runtime']['configurable']): string {
  const thread: unknown = configurable?.thread_id;
  if (typeof thread === 'string' && thread) return thread;
  throw new InvalidSettingError(
    'configurable.thread_id',
    `${thread ? `${shown(thread)} is no text` : 'is missing'}: name the conversation in the agent's config, as in { configurable: { thread_id: 'conversation-7' } }`,
  );
}
