/**
 * Follows one call from the agent's proposal to its run, each step by the record's digest.
 *
 * Steps: proposed → approved → effective → executed.
 */
import type { AuditRecord } from '../../../ports/stores/audit-log.ts';
import { type NameOf, peopleOf } from './audit-row.ts';

/** Headings of `chainRows`. */
export const CHAIN = ['CALL', 'PROPOSED', 'APPROVED BY', 'EFFECTIVE', 'EXECUTED'];

/** A row for each call of a proposal that was judged; none for what is no call. */
export function chainRows(records: readonly AuditRecord[], nameOf: NameOf = (user) => user): string[][] {
  const entries = records.map(({ entry }) => entry);
  const proposed = entries.find(({ type, calls }) => type === 'evaluated' && calls?.length)?.calls ?? [];
  const decided = records.findLast(({ decision }) => decision !== undefined);
  const ended = entries.findLast((entry) => entry.outcome !== undefined);
  const effective = entries.findLast(({ calls }) => calls?.length)?.calls ?? [];
  return proposed.map(({ id, toolName, auditDigest }) => {
    const call = decided?.decision?.calls.find((one) => one.id === id);
    const { outcome = ended?.outcome, decidedBy = ended?.decidedBy } = call ?? {};
    const last = effective.find((one) => one.id === id);
    const runs = last?.effectiveDigest ?? last?.auditDigest ?? null;
    const how = last?.effectiveDigest ? 'printed as' : 'edited to';
    const input = call?.effective ? `, ${how} ${JSON.stringify(call.effective.input)}` : '';
    return [
      `${id} ${toolName}`,
      short(auditDigest),
      outcome === 'approved' && decidedBy ? deciderOf(decidedBy, nameOf) : (outcome ?? 'nobody yet'),
      outcome === 'approved' ? `${runs === auditDigest ? 'the same' : short(runs)}${input}` : '',
      executed(entries, id, runs),
    ];
  });
}

type Entry = AuditRecord['entry'];

/** A run of another action than the one that was approved would be an alarm, and is named. */
function executed(entries: readonly Entry[], id: string, runs: string | null): string {
  return entries
    .flatMap(({ ran }) => (ran && ran.callId === id ? [ran] : []))
    .map(({ status, durationMs, auditDigest, by, errorCode }) => {
      const which = auditDigest === runs ? '' : ` ANOTHER ACTION ${short(auditDigest)}`;
      const where = by === 'gate' ? 'by the gate' : 'by its holder';
      return `${status}${errorCode ? ` (${errorCode})` : ''} in ${Math.round(durationMs)} ms ${where}${which}`;
    })
    .join('; ');
}

const short = (digest: string | null): string => (digest === null ? 'no digest' : digest.slice(0, 12));

const deciderOf = ({ type, id }: { readonly type: string; readonly id: string }, nameOf: NameOf): string =>
  type === 'human' ? peopleOf(id, nameOf) : `${type} ${id}`;
