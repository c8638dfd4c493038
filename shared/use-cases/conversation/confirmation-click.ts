/** Checks that a click may answer the task agent's question: own card, asked person, once. */
import type { TaskConversation } from '../../contract/task-conversation.ts';
import { samePerson } from '../../domain/approval/approval.ts';
import type { ConversationMessage, StoredReply } from '../../ports/conversation.ts';

export type ClickRefusal = 'foreign_card' | 'not_the_requester' | 'already_decided';

export const CLICK_REFUSALS: Readonly<Record<ClickRefusal, string>> = {
  foreign_card: 'This button does not belong to a question that I asked. Nothing was changed.',
  not_the_requester: 'Only the person who was asked can answer this. Nothing was changed.',
  already_decided: 'This was answered already, or something else was asked since. Nothing was changed.',
};

/** In the place of a question whose text is not kept any more. */
export const QUESTION_OVER = 'This question is over.';

/** `question`: what was posted to ask it; absent if its run stopped before it could keep that. */
export function clickRefusal(
  click: Extract<ConversationMessage, { kind: 'button' }>,
  question: StoredReply | undefined,
  conversation: TaskConversation | undefined,
): ClickRefusal | undefined {
  if (!click.isOwn) return 'foreign_card';
  if (question) {
    if (question.channel !== click.channel || question.ts !== click.ts) return 'foreign_card';
    if (!samePerson(question.person, click.person)) return 'not_the_requester';
  }
  return conversation?.pending?.askedBy === click.asks ? undefined : 'already_decided';
}
