/** Names the calls and people of entries, from their texts and the policy file that is here. */
import type { Proposal, ToolCall } from '../../../contract/index.ts';
import { nameOfCall } from '../../../domain/proposal/call-name.ts';
import { parseJson } from '../../../domain/raw-json.ts';
import type { AuditRecord } from '../../../ports/stores/audit-log.ts';
import type { Io } from '../io.ts';

/** The calls as the record has them, else as the state table still has them; people as the policy file calls them. */
export async function namesFor(records: readonly AuditRecord[], io: Io) {
  const { namesNear, proposalsOf } = await import('../call-names.ts');
  const stateTable = io.env['COUNTERSIGN_STATE_TABLE'];
  const recorded = recordedProposals(records);
  const pids = records.flatMap(({ entry: { proposalId, pid } }) =>
    proposalId === null || pid === null || recorded.has(pid) ? [] : [pid],
  );
  const [names, proposals] = await Promise.all([
    namesNear(io),
    stateTable === undefined || !pids.length ? new Map<string, Proposal>() : proposalsOf(pids, stateTable),
  ]);
  const callOf = (pid: string, { decision, key }: AuditRecord): string | undefined => {
    const proposal = recorded.get(pid) ?? proposals.get(pid);
    if (proposal?.kind === 'input-request') return proposal.question;
    // The record has the digest alone of an edit that was judged: no name is better than that of the call before it.
    if (proposal?.kind !== 'tool-call' || /^evaluated#/.test(key.sort)) return undefined;
    const [first, ...others] = proposal.calls.map(({ id, toolName, input }) => {
      const effective = decision?.calls.find((call) => call.id === id)?.effective;
      return nameOfCall({ toolName, input: effective?.input ?? input }, names.tools).text;
    });
    return others.length ? `${others.length + 1} calls: ${first}, …` : first;
  };
  return { person: names.person, callOf };
}

/** Fields of a proposal that name it. */
type Named =
  | { readonly kind: 'tool-call'; readonly calls: readonly Pick<ToolCall, 'id' | 'toolName' | 'input'>[] }
  | { readonly kind: 'input-request'; readonly question: string }
  | { readonly kind: 'action-choice' };

/** By pid: the texts that stand in the entries themselves. */
function recordedProposals(records: readonly AuditRecord[]): ReadonlyMap<string, Named> {
  const found = new Map<string, Named>();
  for (const { entry } of records)
    if (entry.pid !== null && entry.proposal !== undefined) found.set(entry.pid, parseJson(entry.proposal) as Named);
  return found;
}
