/** From a stored approval to what its surfaces are drawn from. */

import { storedProposal } from '../../domain/stored-proposal.ts';
import type { ApprovalView } from '../../ports/approval-store.ts';
import type { CardSource } from './card-source.ts';

export function sourceOf({ approval, proposal: text, decision, sealed }: ApprovalView): CardSource {
  const proposal = storedProposal(text);
  if (proposal.kind === 'cancel' || proposal.kind === 'task-message') throw new Error('this asks nobody for approval');
  return { approval, proposal, decision, sealed: sealed !== undefined };
}
