/** Shows a person one reply to a decision, once, and no button on a question that is no longer open. */
import type { TaskConversation } from '../../contract/task-conversation.ts';
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
  let place = known ?? (received.kind === 'button' ? { channel, ts } : undefined);
  if (place) await speaker.change(place, words);
  else
    place = await speaker.send({ channel, ...(received.kind === 'message' ? { thread: received.thread } : {}) }, words);
  await replies.put(
    pid,
    { channel: place.channel, ts: place.ts, person, final: decision !== undefined, text },
    clock.now(),
  );
}

/** A question that this message has answered, dropped or found too old says so, and shows no buttons any more. */
export async function closeQuestion(
  before: TaskConversation['pending'],
  decision: AgentDecision,
  pid: string,
  { clock, replies, speaker }: Replying,
): Promise<void> {
  if (!before || before.askedBy === pid) return;
  const question = await replies.read(before.askedBy);
  if (!question) return;
  const text = `${question.text}\n${endOf(before, decision, clock.now())}`;
  await speaker.change(question, { text });
  await replies.put(before.askedBy, { ...question, text }, clock.now());
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
