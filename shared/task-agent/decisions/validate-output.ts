/** Validates output as the contract demands. A decision that fails here is never emitted. */
import type * as z from 'zod';
import { TOOL_PARAMETERS, type ToolName } from '../tools/tool-schemas.ts';
import { agentDecision, type DecisionType } from './schemas.ts';

/** Whether a value is sound, and if not why it may not be sent. */
export type Validation =
  | { readonly valid: true }
  | {
      readonly valid: false;
      readonly problem:
        | 'unknown_tool'
        | 'task_not_found'
        | 'description_length'
        | 'invalid_parameters'
        | 'invalid_decision'
        | 'missing_tool_calls'
        | 'unexpected_tool_calls'
        | 'invalid_sequence'
        | 'missing_pending_action'
        | 'unexpected_pending_action';
    };
type OutputProblem = Extract<Validation, { readonly valid: false }>['problem'];

const VALID: Validation = { valid: true };
const invalid = (problem: OutputProblem): Validation => ({ valid: false, problem });

/** One call by name, parameters and, if stated, sequence; how the numbers follow each other is the decision's matter. */
export function validateToolCall(call: {
  readonly tool_name?: unknown;
  readonly parameters?: unknown;
  readonly sequence?: unknown;
}): Validation {
  const name = call.tool_name;
  if (typeof name !== 'string' || !isToolName(name)) return invalid('unknown_tool');
  const parsed = TOOL_PARAMETERS[name].safeParse(call.parameters);
  if (parsed.success) return isPlace(call.sequence) ? VALID : invalid('invalid_sequence');
  const fields = new Set(
    parsed.error.issues.filter((issue) => given(call.parameters, issue.path[0])).map((i) => i.path[0]),
  );
  if (fields.has('task_id')) return invalid('task_not_found');
  if (fields.has('description')) return invalid('description_length');
  return invalid('invalid_parameters');
}

/** Counted from 1. */
const isPlace = (sequence: unknown): boolean =>
  sequence === undefined || (Number.isSafeInteger(sequence) && Number(sequence) >= 1);

const isToolName = (name: string): name is ToolName => Object.hasOwn(TOOL_PARAMETERS, name);

const given = (parameters: unknown, field: PropertyKey | undefined): boolean =>
  typeof parameters === 'object' && parameters !== null && field !== undefined && Object.hasOwn(parameters, field);

/** Whether decisions of each kind carry calls. */
const CARRIES_CALLS: Record<DecisionType, boolean> = {
  INVOKE_TOOL: true,
  EXECUTE_PENDING: true,
  RESPOND_ONLY: false,
  ASK_CLARIFICATION: false,
  REQUEST_CONFIRMATION: false,
  CANCEL_PENDING: false,
};

/** A whole decision: its fields, then how they fit together. */
export function validateDecision(value: unknown): Validation {
  const parsed = agentDecision.safeParse(value);
  if (!parsed.success) return invalid(problemOfCalls(value) ?? 'invalid_decision');
  return consistency(parsed.data);
}

function consistency(decision: z.infer<typeof agentDecision>): Validation {
  const calls = decision.tool_calls ?? [];
  const carries = CARRIES_CALLS[decision.decision_type];
  if (carries && calls.length === 0) return invalid('missing_tool_calls');
  if (!carries && calls.length > 0) return invalid('unexpected_tool_calls');
  if (calls.some((call, i) => call.sequence !== i + 1)) return invalid('invalid_sequence');
  const confirms = decision.decision_type === 'REQUEST_CONFIRMATION';
  if (confirms && !decision.pending_action) return invalid('missing_pending_action');
  if (!confirms && decision.pending_action) return invalid('unexpected_pending_action');
  return VALID;
}

/** Says what is wrong with the calls of a decision that does not parse; undefined if something else is. */
function problemOfCalls(value: unknown): OutputProblem | undefined {
  const calls: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'tool_calls') : undefined;
  for (const call of Array.isArray(calls) ? calls : []) {
    const checked = validateToolCall(typeof call === 'object' && call !== null ? call : {});
    if (!checked.valid) return checked.problem;
  }
  return undefined;
}
