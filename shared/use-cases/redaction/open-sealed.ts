/** Opens the proposal that is decided and run, if it had to be sealed. */
import type { DecidableProposal } from '../../contract/proposal.ts';
import { storedProposal } from '../../domain/proposal/stored-proposal.ts';
import type { ApprovalView } from '../../ports/stores/approval-store.ts';
import type { Unsealer } from '../../ports/vault.ts';

type Original =
  | { readonly kind: 'found'; readonly proposal: DecidableProposal }
  /** Only who may unseal can go on: `resume`, `redeem`, `execute-tool`. */
  | { readonly kind: 'sealed' }
  /** A day after the approval's expiry the original is gone; what was shown is left. */
  | { readonly kind: 'gone'; readonly proposal: DecidableProposal };

/** @throws Error if what was sealed belongs to another proposal, or was changed. */
export async function openSealed(view: ApprovalView, unsealer: Unsealer | undefined): Promise<Original> {
  const { sealed, approval, proposal } = view;
  if (sealed === undefined) return read(proposal);
  if (!unsealer) return { kind: 'sealed' };
  const text = await unsealer.open({ pid: approval.pid, digest: sealed });
  return text === undefined ? { ...read(proposal), kind: 'gone' } : read(text);
}

function read(text: string): Extract<Original, { kind: 'found' }> {
  const proposal = storedProposal(text);
  if (proposal.kind === 'cancel' || proposal.kind === 'task-message')
    throw new Error(`a ${proposal.kind} waits for nobody`);
  return { kind: 'found', proposal };
}
