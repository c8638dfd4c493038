/** Builds the contract's audit records. */
import type { ToolCall, ToolResult } from '../tools/tool-schemas.ts';
import { type AgentDecision, MAX_MESSAGE, type ReadContext } from './schemas.ts';

/** The record of one message and what became of it. */
export interface AuditRecord {
  readonly timestamp: string;
  readonly conversation_id: string;
  readonly user_id: string;
  readonly input_message: string;
  /** `NONE` where validation failed before classification. */
  readonly classified_intent: string;
  readonly decision_type: string;
  readonly tool_calls: readonly ToolCall[] | null;
  readonly response_preview: string;
}

const MAX_PREVIEW = 200;

/** `input` as it came, valid or not: a refusal is on the record too. */
export function auditRecord(input: unknown, intent: string, decision: AgentDecision, now: number): AuditRecord {
  return {
    timestamp: new Date(now).toISOString(),
    conversation_id: textField(input, 'conversation_id'),
    user_id: textField(input, 'user_id'),
    input_message: firstCharacters(textField(input, 'message'), MAX_MESSAGE),
    classified_intent: intent,
    decision_type: decision.decision_type,
    tool_calls: decision.tool_calls,
    response_preview: firstCharacters(decision.response_text ?? decision.clarification_question ?? '', MAX_PREVIEW),
  };
}

function textField(input: unknown, name: string): string {
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
  return typeof value === 'string' ? value : '';
}

/** Whole code points; no ellipsis. */
const firstCharacters = (text: string, count: number): string => [...text.slice(0, 2 * count)].slice(0, count).join('');

/** The record of one tool call. */
export interface ToolInvocationRecord {
  readonly id: string;
  readonly conversation_id: string;
  readonly message_id: string;
  readonly user_id: string;
  readonly tool_name: string;
  readonly parameters: ToolCall['parameters'];
  readonly intent_classification: string;
  readonly result: ToolResult | null;
  readonly success: boolean;
  readonly error_message: string | null;
  readonly invoked_at: string;
  readonly duration_ms: number;
}

interface Times {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The message being decided, as far as the record of a call speaks of it. */
interface InvokingTurn {
  readonly context: Pick<ReadContext, 'conversation_id' | 'user_id'>;
  readonly intent: string;
  readonly calls: readonly ToolCall[];
  readonly ports: { readonly newId?: () => string; readonly messageId?: string };
}

/** Builds a record for operators: unlike every text to the user, the record keeps the tool's own words. */
export function toolInvocationRecord(
  { context, intent, ports, calls }: InvokingTurn,
  call: ToolCall,
  result: ToolResult | undefined,
  /** `ok`, or the problem in words. */
  outcome: string,
  { startedAt, endedAt }: Times,
): ToolInvocationRecord {
  const messageId = ports.messageId ?? '';
  return {
    id: ports.newId?.() ?? `${messageId}#${calls.length}`,
    conversation_id: context.conversation_id,
    message_id: messageId,
    user_id: context.user_id,
    tool_name: call.tool_name,
    parameters: call.parameters,
    intent_classification: intent,
    result: result ?? null,
    success: outcome === 'ok',
    error_message: outcome === 'ok' ? null : (result?.error ?? outcome),
    invoked_at: new Date(startedAt).toISOString(),
    duration_ms: Math.max(0, endedAt - startedAt),
  };
}
