/** Shows a person one reply to a decision, once, and no button on a question that is no longer open. */
import type { EndedQuestion, TaskConversation } from '../../contract/task-conversation.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ConversationMessage, MessageSender, ReplyStore } from '../../ports/conversation.ts';
import type { AgentDecision } from '../../task-agent/index.ts';

interface Replying {
  readonly clock: Clock;
  readonly replies: ReplyStore;
  readonly speaker: MessageSender;
}

const MOMENT = 'One moment, please…';

/** Without a decision it says that one is being made; that is replaced by the answer, wherever the answer is made. */
export async function reply(
  received: ConversationMessage,
  pid: string,
  decision: AgentDecision | undefined,
  { clock, replies, speaker }: Replying,
): Promise<void> {
  const known = await replies.read(pid);
  if (known && (known.final || !decision)) return;
  const text = decision ? (decision.response_text ?? decision.clarification_question ?? '') : MOMENT;
  const asks = decision?.decision_type === 'REQUEST_CONFIRMATION';
  const words = { text, ...(asks ? { question: { asks: pid, conversation: received.conversation } } : {}) };
  const { channel, ts, person } = received;
  let message = known ?? (received.kind === 'button' ? { channel, ts } : undefined);
  if (message) await speaker.change(message, words);
  else
    message = await speaker.send(
      { channel, ...(received.kind === 'message' ? { thread: received.thread } : {}) },
      words,
    );
  const shown = { channel: message.channel, ts: message.ts, person, final: decision !== undefined, text };
  // The answer to a click stands where the question stood: a second click finds the answer there.
  if (received.kind === 'button' && decision) await replies.put(received.asks, shown, clock.now());
  await replies.put(pid, shown, clock.now());
}

/** Both may have been done already, for the message may come again at any time. */
export async function answerAndClose(
  received: ConversationMessage,
  pid: string,
  decision: AgentDecision,
  ended: EndedQuestion | undefined,
  deps: Replying,
): Promise<void> {
  try {
    await reply(received, pid, decision, deps);
  } catch (error) {
    // An answer that Slack refuses is not tried again, and the question is over all the same.
    if (ended) await closeQuestion(ended, deps).catch(() => undefined);
    throw error;
  }
  if (ended) await closeQuestion(ended, deps);
}

/** The question that waited when the message came, and does not behind it; undefined if none did, or it still waits. */
export function endedQuestion(
  before: TaskConversation['pending'],
  after: TaskConversation['pending'],
  { by, decision, now }: { readonly by: string; readonly decision: AgentDecision; readonly now: number },
): EndedQuestion | undefined {
  if (!before || before.askedBy === after?.askedBy) return undefined;
  return { by, askedBy: before.askedBy, text: endOf(before, decision, now), at: new Date(now).toISOString() };
}

/** A question that a message has answered, dropped or found too old says so, and shows no buttons any more. */
export async function closeQuestion(
  { askedBy, text: end }: EndedQuestion,
  { clock, replies, speaker }: Replying,
): Promise<void> {
  const question = await replies.read(askedBy);
  if (!question || question.text.endsWith(`\n${end}`)) return;
  const text = `${question.text}\n${end}`;
  await speaker.change(question, { text });
  await replies.put(askedBy, { ...question, text }, clock.now());
}

function endOf(
  { confirmation }: NonNullable<TaskConversation['pending']>,
  { decision_type: type }: AgentDecision,
  now: number,
): string {
  if (type === 'EXECUTE_PENDING') return 'You said yes.';
  if (type === 'CANCEL_PENDING') return 'You said no.';
  return now > Date.parse(confirmation.expires_at)
    ? 'Nobody answered in time: nothing was deleted.'
    : 'You went on to something else: nothing was deleted.';
}
