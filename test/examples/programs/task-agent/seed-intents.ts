/** Answers messages as the task agent's decision contract says: one intent, one decision. */
import { classifyIntent, processMessage } from 'countersign/task-agent';

const ports = { clock: { now: () => 0 }, audit: { decided: () => undefined } };
for (const message of ['add buy milk', 'hello', 'delete my task']) {
  const context = { user_id: 'u-1', conversation_id: '0b1cf2a0-51d5-4c0d-8a3e-3f6f6f0f9a11', message };
  const { decision_type } = await processMessage(context, ports);
  console.log(classifyIntent(message).intent_type, decision_type);
}

// Prints:
// CREATE_TASK INVOKE_TOOL
// GENERAL_CHAT RESPOND_ONLY
// DELETE_TASK ASK_CLARIFICATION
