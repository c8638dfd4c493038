/** Remembers what this client sent: decisions are compared with it before anything runs. */
import { LIMITS } from '../../contract/bounds.ts';
import type { Proposal } from '../../contract/proposal.ts';
import { actionDigest, type DigestedAction, sha256Hex } from '../../domain/digest.ts';
import type { Batch } from './together.ts';

/** One proposal as this client sent it. Times are milliseconds since 1970. */
interface SentProposal {
  /** Action digests by call id. Undefined: no tool calls. */
  readonly digests: ReadonlyMap<string, string> | undefined;
  readonly rawDigest: string;
  readonly proposedAt: number;
  /** Nobody answers it after this. */
  readonly endsAt: number;
  readonly toolName: string | undefined;
  readonly title: string | undefined;
}

/** The oldest is forgotten then: a process that proposes and never waits does not grow. */
const MAX_PROPOSED = 10_000;

export class SentProposals {
  readonly #sent = new Map<string, SentProposal>();

  get(proposalId: string): SentProposal | undefined {
    return this.#sent.get(proposalId);
  }

  /** Whether the calls of the batch are those that were sent under its id. */
  isSame({ proposalId, calls, envelope: { starts } }: Batch): boolean {
    const digests = this.get(proposalId)?.digests;
    return digests?.size === calls.length && calls.every((call) => isAction({ ...call, starts }, digests.get(call.id)));
  }

  /** Whether the call is the only one that was sent under the id. */
  isSameCall(proposalId: string, call: DigestedAction): boolean {
    const { digests } = this.get(proposalId) ?? {};
    return digests?.size === 1 && isAction(call, [...digests.values()][0]);
  }

  /** Oldest first. */
  all(): readonly (readonly [string, SentProposal])[] {
    return [...this.#sent];
  }

  remember(proposal: Proposal, raw: string, now: number): void {
    if (proposal.kind === 'cancel') return;
    const [oldest] = this.#sent.size >= MAX_PROPOSED ? this.#sent.keys() : [];
    if (oldest !== undefined) this.#sent.delete(oldest);
    const expiresAt = 'expiresAt' in proposal ? proposal.expiresAt : undefined;
    const calls = proposal.kind === 'tool-call' ? proposal.calls : undefined;
    this.#sent.set(proposal.proposalId, {
      digests:
        proposal.kind === 'tool-call'
          ? new Map(proposal.calls.map((call) => [call.id, actionDigest({ ...call, starts: proposal.starts })]))
          : undefined,
      rawDigest: sha256Hex(raw),
      proposedAt: now,
      // The gate itself tells of a proposal that is over already.
      endsAt: expiresAt === undefined ? now + LIMITS.approvalMs : Math.max(now, Date.parse(expiresAt)),
      toolName: calls?.length === 1 ? calls[0]?.toolName : undefined,
      title: 'title' in proposal ? proposal.title : undefined,
    });
  }
}

/** An action without a digest, as with half a surrogate pair, was never sent: the gate's reader says so when it is. */
function isAction(action: DigestedAction, digest: string | undefined): boolean {
  try {
    return actionDigest(action) === digest;
  } catch {
    return false;
  }
}
