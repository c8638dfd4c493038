/** Tells of changed arguments in the answer of a LangChain tool: a message, or a command. */
import { withChange } from '../running/change.ts';

interface ToolMessage {
  content?: unknown;
  readonly tool_call_id?: unknown;
}

/** A command updates the state of the graph, with the call's message among those of others. */
interface Command {
  readonly update?: { readonly messages?: readonly unknown[] };
}

/** Other parts of a message, such as images, stay as they are. */
export function told<Answer>(answer: Answer, callId: string, change: string | undefined): Answer {
  if (change === undefined || !answer) return answer;
  const { messages } = Object((answer as Command).update) as NonNullable<Command['update']>;
  const own = (message: unknown) => (Object(message) as ToolMessage).tool_call_id === callId;
  tell(Array.isArray(messages) ? messages.find(own) : answer, change);
  return answer;
}

function tell(message: ToolMessage | undefined, change: string): void {
  const content = message?.content;
  if (typeof content === 'string') Object.assign(message as ToolMessage, { content: withChange(content, change) });
  else if (Array.isArray(content))
    Object.assign(message as ToolMessage, { content: [...content, { type: 'text', text: change }] });
}
