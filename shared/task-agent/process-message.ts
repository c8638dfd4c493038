/** Turns a context into a decision and its one audit record, whatever the message holds. */
import { duration, durationMs } from '../domain/duration.ts';
import { type Checks, checkSettings, fn, having, signal as isSignal, text } from '../domain/settings.ts';
import { auditRecord } from './decisions/audit-record.ts';
import { DEFAULT_TIMEOUT, noDeadline } from './decisions/deadline.ts';
import { ask, respond } from './decisions/decisions.ts';
import type { TaskAgentPorts } from './decisions/ports.ts';
import type { AgentDecision, DecisionContext, ReadContext } from './decisions/schemas.ts';
import { FAILURE } from './decisions/templates.ts';
import { validateInput } from './decisions/validate-input.ts';
import { validateDecision } from './decisions/validate-output.ts';
import { readClassification } from './intent/read-classification.ts';
import { wishOfReply } from './rules/reply.ts';
import { answerToPending, rule1PendingConfirmation } from './rules/rule-1-pending-confirmation.ts';
import { rule2IntentToAction } from './rules/rule-2-intent-to-action.ts';
import type { Turn } from './rules/turn.ts';

/** The intent that a record names where no message was classified. */
const NOT_CLASSIFIED = 'NONE';

/**
 * One message of a person to a decision: a text, a tool to call, or a question back. Exactly one audit record is written. No message and no
 * failure of a port makes it throw. `signal` reaches the classifier and the tools: no tool is begun once it has aborted.
 *
 * @throws the signal's reason if it aborts, once the record is written; InvalidSettingError before anything is read or recorded, if `timeout` is no length of time
 * @example
 * const decision = await processMessage(context, { clock: { now: Date.now }, audit: { decided: (record) => console.log(record) } });
 * console.log(decision.decision_type);
 */
export async function processMessage(
  context: DecisionContext,
  ports: TaskAgentPorts,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<AgentDecision> {
  checkSettings(ports, PORT_CHECKS, { of: 'ports', required: ['clock', 'audit'] });
  if (signal !== undefined) isSignal(signal, 'signal');
  signal?.throwIfAborted();
  const now = ports.clock.now();
  let intent: string = NOT_CLASSIFIED;
  let decision: AgentDecision;
  try {
    const input = validateInput(context);
    decision = input.ok ? await decide(input.context) : respond(input.text);
    if (input.ok && !mayBeEmitted(decision, input.context.user_id)) decision = respond(FAILURE.invalidInput);
  } catch {
    decision = respond(FAILURE.tool('do that'));
  }
  await keep();
  signal?.throwIfAborted();
  return decision;

  async function decide(read: ReadContext): Promise<AgentDecision> {
    const turn = (classified: string, isReply = false): Turn => {
      intent = classified;
      return { context: read, now, ports, intent, isReply, calls: [], signal };
    };
    const answer = answerToPending(read);
    if (answer) return rule1PendingConfirmation(turn(answer), answer);
    const classification = await readClassification(read, ports, signal);
    const wish = wishOfReply(classification.intent, read);
    const next = turn(wish.intent_type, wish !== classification.intent);
    return classification.isTimedOut ? ask(FAILURE.timeout) : rule2IntentToAction(next, wish);
  }

  /** The record's failure is not the user's. */
  async function keep(): Promise<void> {
    const { audit, deadline = noDeadline, timeout = DEFAULT_TIMEOUT } = ports;
    try {
      await deadline(
        Promise.resolve(audit.decided(auditRecord(context, intent, decision, now))),
        durationMs(timeout, 'timeout'),
      );
    } catch {
      // Nothing to tell the user: the sink raises its own alarm.
    }
  }
}

const PORT_CHECKS: Checks<TaskAgentPorts> = {
  clock: having('now'),
  audit: having('decided'),
  tools: fn,
  classifier: fn,
  deadline: fn,
  timeout: duration,
  newId: fn,
  messageId: text,
};

/** Whole, in the user's name alone, and deleting nothing but what was confirmed. */
function mayBeEmitted(decision: AgentDecision, userId: string): boolean {
  const calls = decision.tool_calls ?? [];
  const isOwn = calls.every((call) => call.parameters.user_id === userId);
  const deletes = calls.some((call) => call.tool_name === 'delete_task');
  return validateDecision(decision).valid && isOwn && deletes === (decision.decision_type === 'EXECUTE_PENDING');
}
