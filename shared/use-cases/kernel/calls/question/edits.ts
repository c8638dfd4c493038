/** Applies people's edits to the calls of a proposal, and finds where the last one is asked about. */
import type { HumanAnswer, Proposal, ToolCall, ToolCallProposal } from '../../../../contract/index.ts';
import { actionDigest, lengthDelimited, sha256Hex } from '../../../../domain/digest.ts';
import type { Journal } from '../../state/journal.ts';

const PLACE = 'calls';
const MAX_EDITS = 20;

export interface Edit {
  readonly by: HumanAnswer['by'];
  /** The digest of the call as it was proposed. */
  readonly proposedDigest: string;
}

export interface Effective {
  readonly calls: readonly ToolCall[];
  readonly place: string;
  /** By the id of the call. */
  readonly edits: ReadonlyMap<string, Edit>;
}

/** Identifies the question about these calls: an answer to another question does not count. `pid`: of the approval that asks. */
export const questionDigest = (
  pid: string,
  place: string,
  calls: readonly { readonly id: string; readonly actionDigest: string | null }[],
): string => sha256Hex(lengthDelimited([pid, place, ...calls.flatMap((call) => [call.id, call.actionDigest ?? ''])]));

/** Every edit in turn; one that does not answer the question about what was there before it is not applied, and what it led to is void. */
export function effectiveCalls(
  { calls: proposed, starts }: Pick<ToolCallProposal, 'calls' | 'starts'>,
  journal: Journal,
  pid: string,
): Effective {
  let calls: readonly ToolCall[] = proposed;
  let place = PLACE;
  const edits = new Map<string, Edit>();
  for (let round = 1; round <= MAX_EDITS; round++) {
    const answer = journal.human(place);
    const changed = answer?.result === 'edited' ? applied(answer, { calls, starts }, place, pid) : undefined;
    if (!answer?.edit || !changed) break;
    const { callId } = answer.edit;
    const original = proposed.find(({ id }) => id === callId);
    if (original) edits.set(callId, { by: answer.by, proposedDigest: actionDigest({ ...original, starts }) });
    calls = changed;
    place = `${PLACE}.edit${round}`;
  }
  return { calls, place, edits };
}

function applied(
  { edit, calls: asked, digest }: HumanAnswer,
  { calls, starts }: Pick<ToolCallProposal, 'starts'> & Pick<Effective, 'calls'>,
  place: string,
  pid: string,
): ToolCall[] | undefined {
  if (!edit) return undefined;
  const known = calls
    .filter(({ id }) => asked.includes(id))
    .map((call) => ({ id: call.id, actionDigest: actionDigest({ ...call, starts }) }));
  if (questionDigest(pid, place, known) !== digest) return undefined;
  const call = calls.find(({ id }) => id === edit.callId);
  const changed = call && { ...call, input: edit.input };
  if (!changed || actionDigest({ ...changed, starts }) !== edit.actionDigest) return undefined;
  return calls.map((one) => (one.id === edit.callId ? changed : one));
}

/** The proposal as it would be if it had been proposed as edited: what is remembered of a session is looked up for it. */
export function effectiveProposal<Any extends Proposal>(proposal: Any, journal: Journal, pid: string): Any {
  if (proposal.kind !== 'tool-call') return proposal;
  return { ...proposal, calls: [...effectiveCalls(proposal, journal, pid).calls] };
}

/** Ids of the calls that people edited. */
export const editedCalls = (proposal: Proposal, journal: Journal, pid: string): ReadonlySet<string> =>
  new Set(proposal.kind === 'tool-call' ? effectiveCalls(proposal, journal, pid).edits.keys() : []);
