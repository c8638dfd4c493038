/** Brings every card of an approval to what its row says; posts one if there is none and somebody can still answer (A22). */
import { toolCallProposal } from '../../contract/proposal.ts';
import type { ApprovalStore } from '../../ports/approval-store.ts';
import type { Clock } from '../../ports/clock.ts';
import { renderCard } from './card.ts';
import type { SlackPoster } from './poster.ts';

interface Drawing {
  readonly approvals: ApprovalStore;
  readonly poster: SlackPoster;
  readonly clock: Clock;
}

/** Run twice it may post a second card (a crash before the first was registered); either is valid, and both are kept up to date. */
export async function drawCard(pid: string, { approvals, poster, clock }: Drawing): Promise<void> {
  const view = await approvals.read(pid);
  const channel = view?.approval.question.stages[0]?.channel;
  if (!view || !channel) return;
  const { approval, decision, cards } = view;
  const card = renderCard({ approval, proposal: toolCallProposal.parse(JSON.parse(view.proposal)), decision });
  for (const posted of cards) await poster.update(posted, card);
  const answerable = approval.status === 'pending' && clock.now() < Date.parse(approval.expiresAt);
  if (!cards.length && answerable) await approvals.addCard(pid, await poster.post(channel, card));
}
