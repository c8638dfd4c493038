/** Reads the answer of a LangChain tool, a message or a command, and tells there of changed arguments. */
import { withChange } from '../running/change.ts';

interface ToolMessage {
  content?: unknown;
  readonly tool_call_id?: unknown;
  readonly status?: unknown;
}

/** A command updates the state of the graph, with the call's message among those of others. */
interface Command {
  readonly update?: { readonly messages?: readonly unknown[] };
}

/**
 * Adds the sentence `change` to the message of the call. Other parts of a message, such as images, stay as they are.
 *
 * @param answer a message, a command with messages, or anything else that a tool returns, which is left alone
 */
export function told<Answer>(answer: Answer, callId: string, change: string | undefined): Answer {
  if (change !== undefined) tell(messageOf(answer, callId), change);
  return answer;
}

/** Whether the message of the call says that its tool failed, alone or in a command. */
export const hasFailed = (answer: unknown, callId: string): boolean => messageOf(answer, callId)?.status === 'error';

function messageOf(answer: unknown, callId: string): ToolMessage | undefined {
  if (!answer) return undefined;
  const { messages } = Object((answer as Command).update) as NonNullable<Command['update']>;
  const own = (message: unknown) => (Object(message) as ToolMessage).tool_call_id === callId;
  return (Array.isArray(messages) ? messages.find(own) : answer) as ToolMessage | undefined;
}

function tell(message: ToolMessage | undefined, change: string): void {
  const content = message?.content;
  if (typeof content === 'string') Object.assign(message as ToolMessage, { content: withChange(content, change) });
  else if (Array.isArray(content))
    Object.assign(message as ToolMessage, { content: [...content, { type: 'text', text: change }] });
}
