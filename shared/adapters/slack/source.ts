/** From a stored approval to what its surfaces are drawn from. */

import type { CardNames } from '../../config/readers/card-names.ts';
import { storedProposal } from '../../domain/stored-proposal.ts';
import type { ApprovalView } from '../../ports/approval-store.ts';
import type { CardSource } from './card-source.ts';

export function sourceOf(
  { approval, proposal: text, decision, sealed, cards }: ApprovalView,
  names?: CardNames,
): CardSource {
  const proposal = storedProposal(text);
  if (proposal.kind === 'cancel' || proposal.kind === 'task-message') throw new Error('this asks nobody for approval');
  const ran = cards.flatMap((card) => card.ran ?? []);
  return { approval, proposal, decision, sealed: sealed !== undefined, names, ...(ran.length ? { ran } : {}) };
}
