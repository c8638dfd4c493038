/** Makes the six kinds of decision, so that their fields fit together. */
import type { ToolCall } from '../tools/tool-schemas.ts';
import type { AgentDecision, PendingAction } from './schemas.ts';

const NONE = { tool_calls: null, response_text: null, clarification_question: null, pending_action: null };

/** Without a text, the calls of this decision still have to be run: by the caller, in two phases. */
export const invoke = (
  type: 'INVOKE_TOOL' | 'EXECUTE_PENDING',
  calls: readonly ToolCall[],
  text: string | null,
): AgentDecision => ({ ...NONE, decision_type: type, tool_calls: [...calls], response_text: text });

export const respond = (text: string): AgentDecision => ({
  ...NONE,
  decision_type: 'RESPOND_ONLY',
  response_text: text,
});

export const ask = (question: string): AgentDecision => ({
  ...NONE,
  decision_type: 'ASK_CLARIFICATION',
  clarification_question: question,
});

export const requestConfirmation = (text: string, pending: PendingAction): AgentDecision => ({
  ...NONE,
  decision_type: 'REQUEST_CONFIRMATION',
  response_text: text,
  pending_action: pending,
});

export const cancelPending = (text: string): AgentDecision => ({
  ...NONE,
  decision_type: 'CANCEL_PENDING',
  response_text: text,
});
