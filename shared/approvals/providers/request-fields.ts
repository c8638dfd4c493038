/** Names the fields of a request as the seed's webhook and WebSocket providers send them. */
import type { Question } from '../../ports/asker.ts';

/** @param question of a `HumanLoopRequest`: a provider is not asked about the choice of an action */
export function requestFields(question: Question): object {
  const { title: prompt } = question;
  switch (question.kind) {
    case 'call':
      return { kind: 'approval', prompt, tool_name: question.tool, args: question.input };
    case 'text':
      return { kind: 'input', prompt };
    case 'choice':
      return { kind: 'approval', prompt, tool_name: 'Flow', args: question.proposed };
    default:
      return question satisfies never;
  }
}
