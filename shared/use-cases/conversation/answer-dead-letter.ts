/** Tells people that the task agent could not answer them. */
import { MAX_READING_TRIES } from '../../config/schema/defaults.ts';
import { pidOf } from '../../domain/digest.ts';
import { slackProposalId } from '../../domain/proposal/reserved-ids.ts';
import type { ConversationMessage, ReplyMessage, StoredReply } from '../../ports/conversation.ts';
import type { ConversationDependencies } from './handle-message.ts';
import { closeQuestion } from './reply.ts';

export const NOT_ANSWERED =
  'I could not answer this in time. Please look at your tasks, and tell me again if it was not done.';

/**
 * Nothing is decided any more: a yes of an hour ago may not be meant now. A question that the message has ended is closed. People who have their
 * answer already are told nothing. `tries` counts from 1; late ones read nothing, for reading it may be what fails. Throws if Slack or a store is
 * down: the message comes again.
 */
export async function notifyDeadLetter(raw: string, tries: number, deps: ConversationDependencies): Promise<void> {
  const { enabled, agent } = deps.policy.settings.taskAgent;
  if (!enabled || agent === undefined || tries > MAX_READING_TRIES) return;
  const received = JSON.parse(raw) as ConversationMessage;
  const pid = pidOf(deps.deployment, agent, slackProposalId(received.id));
  const known = await deps.replies.read(pid);
  if (!known?.final && known?.text !== NOT_ANSWERED) {
    const { channel, ts } = await tell(received, known, deps);
    const told = { channel, ts, person: received.person, final: false, text: NOT_ANSWERED };
    // A note that is lost costs a second telling, if the letter comes again; one that were waited for would cost many.
    await deps.replies.put(pid, told, deps.clock.now()).catch(() => undefined);
  }
  const ended = await deps.conversations.endedBy(pid);
  if (ended) await closeQuestion(ended, deps);
}

/** Returns where the answer belongs if the message is delivered once more. */
async function tell(
  received: ConversationMessage,
  known: StoredReply | undefined,
  { speaker }: Pick<ConversationDependencies, 'speaker'>,
): Promise<ReplyMessage> {
  const { channel, ts, person } = received;
  if (known) {
    // The reply asks for a moment, and would do so for ever.
    await speaker.change(known, { text: NOT_ANSWERED });
    return known;
  }
  if (received.kind === 'message') return speaker.send({ channel, thread: received.thread }, { text: NOT_ANSWERED });
  await speaker.whisper(channel, person.user, NOT_ANSWERED);
  return { channel, ts };
}
