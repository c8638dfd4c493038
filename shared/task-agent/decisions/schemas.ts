/** Declares the contract's shapes: what the engine is given and what it answers. */
import * as z from 'zod';
import {
  type HistoryMessage,
  historyMessage,
  type PendingConfirmation,
  pendingConfirmation,
  uuid,
} from '../../contract/task-conversation.ts';
import { type ToolCall, toolCall } from '../tools/tool-schemas.ts';

export { type PendingConfirmation, pendingConfirmation, uuid } from '../../contract/task-conversation.ts';

export const intentType = z.enum([
  'CREATE_TASK',
  'LIST_TASKS',
  'COMPLETE_TASK',
  'UPDATE_TASK',
  'DELETE_TASK',
  'GENERAL_CHAT',
  'AMBIGUOUS',
  'CONFIRM_YES',
  'CONFIRM_NO',
]);
/** The kinds of wishes that a person may have of the task agent. */
export type IntentType = z.infer<typeof intentType>;

export const userIntent = z
  .strictObject({
    intent_type: intentType,
    confidence: z.number().min(0).max(1).nullable().default(null),
    extracted_params: z.record(z.string(), z.unknown()).nullable().default(null),
  })
  .refine(
    (intent) => intent.intent_type !== 'AMBIGUOUS' || namesIntents(intent.extracted_params?.['possible_intents']),
    {
      error: 'AMBIGUOUS must carry possible_intents (R2-014)',
    },
  );
/** A person's wish, with the confidence of its classification. */
export type UserIntent = z.infer<typeof userIntent>;

const namesIntents = (value: unknown): boolean => z.array(intentType).min(1).safeParse(value).success;

/** The value that the caller stores as `pending_confirmation`; the two times are there so that callers need not invent them. */
const pendingAction = pendingConfirmation.partial({ created_at: true, expires_at: true });
/** An action that waits for a confirmation. */
export type PendingAction = z.infer<typeof pendingAction>;

export const MAX_MESSAGE = 4000;

/** A character is a code point, so an emoji counts once. */
const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** The pending confirmation is read by rule 1: one that cannot be read must not make the message unreadable. */
export const decisionContext = z.strictObject({
  user_id: z.string().refine((id) => id.trim() !== ''),
  message: z.string().refine((text) => text.length <= 2 * MAX_MESSAGE && within(text, MAX_MESSAGE)),
  conversation_id: uuid,
  message_history: z.array(historyMessage).default([]),
  pending_confirmation: z.unknown().optional(),
});
const within = (text: string, limit: number): boolean => text !== '' && codePoints(text) <= limit;

/** A context as read: valid but for its pending confirmation. */
export type ReadContext = z.infer<typeof decisionContext>;

/** A context as callers write it. */
export interface DecisionContext {
  readonly user_id: string;
  readonly message: string;
  readonly conversation_id: string;
  readonly message_history?: readonly HistoryMessage[];
  readonly pending_confirmation?: PendingConfirmation | null;
}

const decisionType = z.enum([
  'INVOKE_TOOL',
  'RESPOND_ONLY',
  'ASK_CLARIFICATION',
  'REQUEST_CONFIRMATION',
  'EXECUTE_PENDING',
  'CANCEL_PENDING',
]);
/** The kinds of decisions. */
export type DecisionType = z.infer<typeof decisionType>;

/** Each field alone; how they must fit together is `validateDecision`'s matter. */
export const agentDecision = z.strictObject({
  decision_type: decisionType,
  tool_calls: z.array(toolCall).nullable().default(null),
  response_text: z.string().nullable().default(null),
  clarification_question: z.string().nullable().default(null),
  pending_action: pendingAction.nullable().default(null),
});

/**
 * A decision of the task agent. `decision_type` tells which fields are there; all others are null. Calls without a text still have to be run
 * by the caller, see `callsToRun`.
 *
 * @example
 * const decision = await processMessage(context, { clock: { now: Date.now }, audit: { decided: console.log } });
 * switch (decision.decision_type) {
 *   case 'ASK_CLARIFICATION':
 *     console.log(decision.clarification_question);
 *     break;
 *   case 'REQUEST_CONFIRMATION':
 *     console.log(decision.response_text, decision.pending_action.task_id);
 *     break;
 *   default:
 *     console.log(decision.response_text);
 * }
 */
export type AgentDecision =
  | {
      readonly decision_type: 'INVOKE_TOOL' | 'EXECUTE_PENDING';
      /** In the order in which they run. */
      readonly tool_calls: readonly ToolCall[];
      readonly response_text: string | null;
      readonly clarification_question: null;
      readonly pending_action: null;
    }
  | {
      readonly decision_type: 'RESPOND_ONLY' | 'CANCEL_PENDING';
      readonly tool_calls: null;
      readonly response_text: string;
      readonly clarification_question: null;
      readonly pending_action: null;
    }
  | {
      readonly decision_type: 'ASK_CLARIFICATION';
      readonly tool_calls: null;
      readonly response_text: null;
      readonly clarification_question: string;
      readonly pending_action: null;
    }
  | {
      readonly decision_type: 'REQUEST_CONFIRMATION';
      readonly tool_calls: null;
      readonly response_text: string;
      readonly clarification_question: null;
      /** The caller stores it and hands it back as `pending_confirmation`. */
      readonly pending_action: PendingAction;
    };
