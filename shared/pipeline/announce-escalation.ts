/** Tells the channels that an approval waits for others as well now. A reminder is told by the card's own thread (`adapters/slack/thread.ts`). */
import type { Approval } from '../contract/index.ts';
import { callsOf, channelsOf, currentStage } from '../domain/approval.ts';
import type { CardQueue } from '../ports/outbox.ts';

/** Said once for each step: the row's version names it. */
export async function announceEscalation(approval: Approval, cards: CardQueue): Promise<void> {
  const { group, escalateTo } = currentStage(approval);
  if (!escalateTo || !approval.escalated || approval.reminders !== undefined) return;
  const tools = [...new Set(callsOf(approval.question).map(({ toolName }) => toolName))].join(', ');
  const what = `${tools || 'a question'} of agent ${approval.agent}`;
  const text = `Escalated to ${escalateTo.group}: ${group} did not answer about ${what} in time. Anybody of either group may answer.`;
  for (const channel of channelsOf(approval).slice(0, 2))
    await cards.announce(channel, text, `${approval.pid}#${approval.version}#${channel}`);
}
