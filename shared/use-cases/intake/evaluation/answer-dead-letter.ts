/** Answers a proposal that could not be processed: its sender would wait for ever. */
import { MAX_READING_TRIES } from '../../../config/schema/defaults.ts';
import { messages } from '../../model-messages.ts';
import { identify, unparsed } from '../admission/identify.ts';
import { DEAD_LETTER, recordDeadLetter } from '../dead-letter.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import type { Incoming } from '../message.ts';
import { cancelProposal } from './cancel-proposal.ts';
import { refuse } from './commit.ts';

/**
 * Files an error as the proposal's decision, under the condition of every decision: one that was made meanwhile stands. A `cancel` has no
 * decision of its own: it is done, for what it cancels must not run. `tries` counts from 1. Throws if a store is down: the message comes again.
 */
export async function answerDeadLetter(incoming: Incoming, tries: number, deps: IntakeDependencies): Promise<void> {
  const { messageId } = incoming;
  const message = await identify(incoming, deps, tries > MAX_READING_TRIES ? unparsed : undefined).catch(
    async (error: unknown) => {
      await recordDeadLetter({ messageId, fault: 'set aside' }, deps);
      throw error;
    },
  );
  await recordDeadLetter({ messageId, fault: 'set aside', about: message.subject }, deps);
  const isKnown = message.agent !== undefined && deps.policy.settings.agents[message.agent] !== undefined;
  if (isKnown && message.read.ok && message.read.proposal.kind === 'cancel')
    return cancelProposal(message.read.proposal, message.subject, deps);
  const refusal = isKnown
    ? { code: DEAD_LETTER, message: messages.deadLetter() }
    : { code: 'unregistered_sender', message: messages.unregistered() };
  await refuse(message, refusal, deps);
}
