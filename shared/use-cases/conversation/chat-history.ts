/** Keeps the newest messages of a chat with the task agent, bounded in number, length and time. */
import type { HistoryMessage, TaskConversation } from '../../contract/task-conversation.ts';
import type { AgentDecision } from '../../task-agent/index.ts';
import { choiceIn } from '../../task-agent/rules/choice.ts';
import { isOpenQuestion } from '../../task-agent/rules/reply.ts';

interface Remembering {
  readonly conversation: TaskConversation | undefined;
  /** So many messages. */
  readonly keep: number | undefined;
  readonly now: number;
}

/** Chat is kept as short as its use: afterwards nobody says "it" of what was spoken about. */
const HISTORY_LIFETIME_MS = 60 * 60_000;
/** Characters of one message, once no question waits: enough for a task's name. */
const MAX_HISTORY_CHARACTERS = 500;

/** Age is compared on read: the row may stand longer. */
const freshHistory = (conversation: TaskConversation | undefined, now: number): readonly HistoryMessage[] =>
  (conversation?.history ?? []).filter(({ timestamp }) => now - Date.parse(timestamp) < HISTORY_LIFETIME_MS);

/** Without a list that was shown after the message was heard: its places are not those that the person counted. */
export function seenHistory(
  conversation: TaskConversation | undefined,
  now: number,
  heardAt = now,
): readonly HistoryMessage[] {
  const history = freshHistory(conversation, now);
  const newest = history.at(-1);
  const isUnseen = newest && Date.parse(newest.timestamp) > heardAt && choiceIn(newest.content);
  return isUnseen ? history.slice(0, -1) : history;
}

/** A question that waits for its answer, and the wish that it is about. */
const QUESTION_MESSAGES = 2;

/** The newest messages, this one and its answer included; undefined where none are kept. */
export function nextHistory(
  { message }: Readonly<Record<string, unknown>>,
  { conversation, keep, now }: Remembering,
  { response_text: text, clarification_question: question }: AgentDecision,
): HistoryMessage[] | undefined {
  if (keep === undefined) return undefined;
  const isOpen = question !== null && isOpenQuestion(question);
  const kept = isOpen ? Math.max(keep, QUESTION_MESSAGES) : keep;
  if (kept === 0) return undefined;
  const timestamp = new Date(now).toISOString();
  const said = (role: HistoryMessage['role'], content: unknown): HistoryMessage => {
    const whole = { role, content: String(content ?? '').toWellFormed(), timestamp };
    // The answer completes the whole wish, and its places are those of the whole list.
    return isOpen ? whole : shortened(whole);
  };
  const added = [said('user', message), said('assistant', text ?? question)];
  return [...freshHistory(conversation, now).map(shortened), ...added].slice(-kept);
}

const shortened = (message: HistoryMessage): HistoryMessage => ({
  ...message,
  content: message.content.slice(0, MAX_HISTORY_CHARACTERS).toWellFormed(),
});
