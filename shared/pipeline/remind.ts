/** Tells the channel that an approval still waits, or waits for others now. */
import type { Approval } from '../contract/index.ts';
import { callsOf, channelsOf, currentStage } from '../domain/approval.ts';
import type { CardQueue } from '../ports/outbox.ts';

/** Said once for each step: the row's version names it. */
export async function remind(approval: Approval, cards: CardQueue): Promise<void> {
  const { group, escalateTo, timeoutMs } = currentStage(approval);
  const escalated = approval.escalated && approval.reminders === undefined && timeoutMs !== undefined;
  const tools = [...new Set(callsOf(approval.question).map(({ toolName }) => toolName))].join(', ');
  const what = `${tools || 'a question'} of agent ${approval.agent}`;
  const text =
    escalated && escalateTo
      ? `Escalated to ${escalateTo.group}: ${group} did not answer about ${what} in time. Anybody of either group may answer.`
      : `Reminder for ${approval.escalated && escalateTo ? `${group} and ${escalateTo.group}` : group}: ${what} still waits for an answer, until ${approval.expiresAt}.`;
  for (const channel of channelsOf(approval).slice(0, approval.escalated ? 2 : 1))
    await cards.announce(channel, text, `${approval.pid}#${approval.version}#${channel}`);
}
