/** Applies rule 1: a pending confirmation comes first. Only a whole, fresh "yes" deletes. */
import { cancelPending, invoke, respond } from '../decisions/decisions.ts';
import {
  type AgentDecision,
  type PendingConfirmation,
  pendingConfirmation,
  type ReadContext,
  uuid,
} from '../decisions/schemas.ts';
import { CONFIRMATION, FAILURE, SUCCESS } from '../decisions/templates.ts';
import { confirmationOf } from '../intent/confirmation-words.ts';
import { runTool, type Turn, unfinished } from './turn.ts';

/** A question for confirmation lives five minutes (R2-062). */
export const CONFIRMATION_LIFETIME_MS = 5 * 60_000;

type Answered = 'CONFIRM_YES' | 'CONFIRM_NO';

/** Whether the message answers a pending confirmation, by the words alone: no classifier has a say. */
export function answerToPending(context: ReadContext): Answered | undefined {
  return context.pending_confirmation == null ? undefined : confirmationOf(context.message);
}

/** Any other message drops the pending confirmation without a trace: the caller keeps what the new decision says. */
export async function rule1PendingConfirmation(turn: Turn, answer: Answered): Promise<AgentDecision> {
  // Other keys of a pending object, such as a user's id, are not read.
  const read = pendingConfirmation.strip().safeParse(turn.context.pending_confirmation);
  if (!read.success) return unreadable(turn.context.pending_confirmation);
  if (isExpired(read.data, turn.now)) return respond(CONFIRMATION.expired);
  return answer === 'CONFIRM_YES' ? executePending(turn, read.data) : cancelPending(CONFIRMATION.cancelled);
}

async function executePending(turn: Turn, pending: PendingConfirmation): Promise<AgentDecision> {
  const outcome = await runTool(turn, 'delete_task', { task_id: pending.task_id });
  if (outcome.kind === 'ok') {
    return invoke('EXECUTE_PENDING', turn.calls, SUCCESS.delete_task(pending.task_description));
  }
  const wanted = { tool: 'delete_task', reference: pending.task_description } as const;
  return unfinished(turn, 'EXECUTE_PENDING', outcome, wanted);
}

/** At its very end it is still valid; by a clock that shows no time it is not. */
const isExpired = (pending: PendingConfirmation, now: number): boolean => !(now <= Date.parse(pending.expires_at));

/** Answers an unreadable confirmation as expired: it cannot be fresh. A description without a valid task id gets "not found". */
function unreadable(value: unknown): AgentDecision {
  const fields: { task_id?: unknown; task_description?: unknown } = typeof value === 'object' && value ? value : {};
  const isNamed = typeof fields.task_description === 'string' && !uuid.safeParse(fields.task_id).success;
  return respond(isNamed ? FAILURE.taskNotFound(String(fields.task_description)) : CONFIRMATION.expired);
}
