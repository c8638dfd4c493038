/** Collects from a stored approval what its surfaces are drawn from. */
import type { CardNames } from '../../../config/readers/card-names.ts';
import { storedProposal } from '../../../domain/proposal/stored-proposal.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import { type CardSource, reminderKey } from '../cards/card-source.ts';

export function sourceOf(
  { approval, proposal: text, decision, sealed, cards, waiters }: ApprovalView,
  names?: CardNames,
): CardSource {
  const proposal = storedProposal(text);
  if (proposal.kind === 'cancel' || proposal.kind === 'task-message') throw new Error('this asks nobody for approval');
  const ran = cards.flatMap((card) => card.ran ?? []);
  const prefix = reminderKey(approval, '');
  const told = cards.flatMap(({ said = [] }) => said).filter((key) => key.startsWith(prefix));
  const reminded = told.map((key) => Number(key.slice(prefix.length)));
  return {
    ...{ approval, proposal, decision, sealed: sealed !== undefined, names },
    ...(reminded.length ? { reminded } : {}),
    ...(ran.length ? { ran } : {}),
    ...(waiters.length ? { followers: waiters.length } : {}),
  };
}
