/** Puts the calls of one turn into one proposal, so that people see them on one card. */
import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../../contract/decision.ts';
import type { ToolCall } from '../../contract/proposal.ts';
import { lengthDelimited, sha256Hex } from '../../domain/digest.ts';
import { InvalidProposalError } from '../calls/errors.ts';
import type { GuardedCall, GuardSettings } from '../calls/guarded-call.ts';
import { named } from './proposal-id.ts';
import { sendable, withoutGaps } from './sending.ts';

/** Several calls under one id, with the words that they share. */
export interface Batch {
  readonly proposalId: string;
  readonly calls: readonly ToolCall[];
  readonly envelope: Pick<GuardSettings, 'starts'>;
}

/** One call of a batch: `callId` is its id there. */
export interface Part {
  readonly batch: Batch;
  readonly callId: string;
}

/** Tells which part of the batch a call is; undefined if the call is to be proposed alone. */
export type PartOf = (call: GuardedCall) => Part | undefined;

/**
 * The same calls in the same order have the same id in every process.
 *
 * @returns for every call undefined if they cannot share a proposal
 */
export function partsOf(
  calls: readonly GuardedCall[],
  { run, timeout: _, onAbort: _on, limits: _limits, fallback: _fallback, cwd, annotations, ...words }: GuardSettings,
): PartOf {
  const shared = { cwd, annotations };
  const members = calls.flatMap((call) => memberOf(call, shared) ?? []);
  if (calls.length < 2 || members.length < calls.length) return () => undefined;
  const turn = sha256Hex(lengthDelimited(['together', ...calls.map(({ callId }) => callId)]));
  const batch = { proposalId: `${named(run)}:${turn.slice(0, 63)}`, calls: members, envelope: words };
  return (call) => {
    const stated = memberOf(call, shared);
    // A call whose arguments changed since is another one.
    const isMember = stated && members.some((member) => isDeepStrictEqual(member, stated));
    return isMember ? { batch, callId: stated.id } : undefined;
  };
}

/** The call within a batch. Undefined if JSON cannot hold it, or if it states words that only a proposal of its own can show. */
function memberOf(call: GuardedCall, shared: Pick<GuardSettings, 'cwd' | 'annotations'>): ToolCall | undefined {
  const { callId, tool, input, cwd, annotations, signal, timeout, onAbort, limits, fallback, ...words } =
    withoutGaps(call);
  // One whose id is none is named when it is proposed.
  if (typeof callId !== 'string' || !callId || Object.keys(words).length) return undefined;
  try {
    const own = withoutGaps({ ...shared, ...withoutGaps({ cwd, annotations }) });
    return { id: named(callId), toolName: tool, input: sendable(input, 'input'), ...own };
  } catch (error) {
    if (error instanceof InvalidProposalError) return undefined;
    throw error;
  }
}

/** The decision on one call of a batch. Nothing of the others is left: neither their refusals nor their permits count for it. */
export function ownPartOf(decision: Decision, callId: string): Decision {
  const own = decision.calls.find(({ id }) => id === callId);
  if (!own) return { ...decision, calls: [] };
  const { outcome, message, reasonCode, decidedBy, actionDigest } = own;
  return { ...decision, outcome, message, reasonCode, decidedBy, actionDigest, calls: [own] };
}

/** A batch that the gate would not read goes as single calls. */
export function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof InvalidProposalError)) throw error;
}
