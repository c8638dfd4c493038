/** Holds one message being decided: its calls so far, and how a tool's answer continues it. */
import { durationMs } from '../../domain/duration.ts';
import { ownValue } from '../../domain/own.ts';
import { toolInvocationRecord } from '../decisions/audit-record.ts';
import { bounded, DEFAULT_TIMEOUT, DeadlineError, noDeadline } from '../decisions/deadline.ts';
import { invoke } from '../decisions/decisions.ts';
import type { TaskAgentPorts } from '../decisions/ports.ts';
import type { AgentDecision, ReadContext } from '../decisions/schemas.ts';
import { FAILURE } from '../decisions/templates.ts';
import { InvalidToolResultError, readData, readResult } from '../tools/define-tools.ts';
import { type ToolCall, type ToolName, type ToolResult, toolCall } from '../tools/tool-schemas.ts';

export interface Turn {
  readonly context: ReadContext;
  readonly now: number;
  readonly ports: TaskAgentPorts;
  /** For the records of tools; what the audit record calls classified_intent. */
  readonly intent: string;
  /** The message answers the question before it. */
  readonly isReply: boolean;
  readonly calls: ToolCall[];
  readonly signal: AbortSignal | undefined;
}

export type ToolOutcome =
  | { readonly kind: 'ok'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'deferred' | 'failed' | 'not_found' | 'timeout' };

/** Codes of results after which trying again would end the same way, with the reason that the user is told. */
export const REFUSALS = {
  NEEDS_APPROVAL: 'somebody else has to approve that, and I cannot ask for it here',
  NOT_ALLOWED: 'the rules here do not allow it',
  LIST_FULL: 'your list is full. Delete tasks that you no longer need',
} as const satisfies Readonly<Record<string, string>>;

/** The words for an action that the agent could not do. */
const ACTIONS: Record<ToolName, string> = {
  add_task: 'add the task',
  list_tasks: 'list your tasks',
  update_task: 'update the task',
  complete_task: 'complete the task',
  delete_task: 'delete the task',
};

/** Numbers the call, lets the context's user alone into it, and runs it unless the schema refuses it. */
export async function runTool(turn: Turn, name: ToolName, parameters: Record<string, string>): Promise<ToolOutcome> {
  const parsed = toolCall.safeParse({
    tool_name: name,
    parameters: { ...parameters, user_id: turn.context.user_id },
    sequence: turn.calls.length + 1,
  });
  if (!parsed.success) return { kind: 'failed' };
  const { tools, clock } = turn.ports;
  turn.calls.push(parsed.data);
  if (!tools) return { kind: 'deferred' };
  const startedAt = clock.now();
  let result: ToolResult | 'deferred' | undefined;
  let outcome: ToolOutcome;
  let problem: string | undefined;
  try {
    const answered = await bounded(turn.ports, turn.signal, (signal) => tools(parsed.data, { signal }));
    result = answered === 'deferred' ? answered : readResult(name, answered);
    outcome = outcomeOf(result);
    // The engine reads no other tool's data.
    if (name === 'list_tasks' && outcome.kind === 'ok') readData(name, outcome.data);
  } catch (error) {
    if (error instanceof InvalidToolResultError) problem = error.message;
    outcome = { kind: error instanceof DeadlineError ? 'timeout' : 'failed' };
  }
  if (result !== 'deferred') {
    const times = { startedAt, endedAt: clock.now() };
    await noteInvocation(turn, toolInvocationRecord(turn, parsed.data, result, problem ?? outcome.kind, times));
  }
  return outcome;
}

function outcomeOf(result: ToolResult | 'deferred'): ToolOutcome {
  if (result === 'deferred') return { kind: 'deferred' };
  if (result.success) return { kind: 'ok', data: result.data };
  // Another user's task counts as absent.
  if (result.error_code === 'NOT_FOUND' || result.error_code === 'ACCESS_DENIED') return { kind: 'not_found' };
  const why = ownValue<string>(REFUSALS, result.error_code ?? '');
  if (why !== undefined) return { kind: 'refused', why };
  return { kind: 'failed' };
}

/** Records a tool call; a record that fails never fails the user's message. */
async function noteInvocation(turn: Turn, record: ReturnType<typeof toolInvocationRecord>): Promise<void> {
  const { audit, deadline = noDeadline, timeout = DEFAULT_TIMEOUT } = turn.ports;
  try {
    await deadline(Promise.resolve(audit.invoked?.(record)), durationMs(timeout, 'timeout'));
  } catch {
    // A record that cannot be kept is the sink's alarm to raise; the user's answer stands.
  }
}

/** The decision where a tool has not answered with success: still to be run, or a text without technical details. */
export function unfinished(
  turn: Turn,
  type: 'INVOKE_TOOL' | 'EXECUTE_PENDING',
  outcome: Exclude<ToolOutcome, { kind: 'ok' }>,
  wanted: { readonly tool: ToolName; readonly reference?: string },
): AgentDecision {
  const failure = FAILURE.tool(ACTIONS[wanted.tool]);
  switch (outcome.kind) {
    case 'deferred':
      return invoke(type, turn.calls, null);
    case 'timeout':
      return invoke(type, turn.calls, FAILURE.timeout);
    case 'not_found':
      return invoke(type, turn.calls, wanted.reference ? FAILURE.taskNotFound(wanted.reference) : failure);
    case 'refused':
      return invoke(type, turn.calls, FAILURE.refused(ACTIONS[wanted.tool], outcome.why));
    case 'failed':
      return invoke(type, turn.calls, failure);
    default:
      return outcome satisfies never;
  }
}
