/** Prints one entry of the record as a row: when, what, who, by which rule, how it ended. */
import type { AuditRecord } from '../../../ports/stores/audit-log.ts';
import { moment } from '../terminal.ts';

/** People by their Slack ids. */
export type NameOf = (user: string) => string;
const byId: NameOf = (user) => user;

/** The people of one answer, without their workspace. */
export const peopleOf = (ids: string, nameOf: NameOf = byId): string =>
  ids
    .split(',')
    .map((id) => nameOf(id.split('/').at(-1) ?? id))
    .join(', ');

interface RowOptions {
  /** The list is of several proposals: the last column names them. */
  readonly withId: boolean;
  /** The list is of several agents: the column before names them. */
  readonly withAgent?: boolean;
  readonly nameOf?: NameOf;
  /** The call in plain words, where its text is still there. */
  readonly callOf?: (pid: string, record: AuditRecord) => string | undefined;
}

/** When, what, of which call, who, by which rule, how it ended; and of which proposal. */
export function rowOf(record: AuditRecord, { withId, withAgent, nameOf = byId, callOf }: RowOptions): string[] {
  const { entry } = record;
  const { type, agent, calls = [], proposalId, recordedAt, operation, pid, ran } = entry;
  const tools = [...new Set(calls.map(({ toolName }) => toolName))].join(', ');
  const call =
    (pid === null || proposalId === null ? undefined : callOf?.(pid, record)) ?? (tools || (ran?.toolName ?? ''));
  const rules = [...new Set(calls.flatMap(({ rule }) => (rule ? [`${rule.effect} ${rule.pattern}`] : [])))].join('; ');
  const about = operation?.about?.replaceAll(/\w+/g, nameOf);
  const what = [type, about].filter(Boolean).join(' ');
  const row = [moment(recordedAt), what, call, who(entry, nameOf), rules, outcome(entry)];
  return [...row, ...(withAgent ? [agent] : []), ...(withId ? [proposalId ?? ''] : [])];
}

function who({ person, decidedBy, agent, type, calls = [] }: AuditRecord['entry'], nameOf: NameOf): string {
  if (person) return nameOf(person.user);
  if (decidedBy?.type === 'human') return peopleOf(decidedBy.id, nameOf);
  // The row names the rule itself; its number in the file means nothing to a person.
  if (decidedBy?.type === 'rule' && calls.some(({ rule }) => rule?.id === decidedBy.id)) return 'rule';
  if (decidedBy) return `${decidedBy.type} ${decidedBy.id}`;
  return type === 'evaluated' ? agent : '';
}

function outcome({
  type,
  ran,
  outcome: ended,
  calls = [],
  accepted,
  reasonCode,
  detail,
  task,
  operation,
}: AuditRecord['entry']): string {
  if (task) return `${task.decision_type}: ${task.response_preview.replaceAll('\n', ' ')}`;
  if (ran) {
    const how = [ran.errorCode, detail].filter(Boolean).join(', ');
    return `${ran.status}${how ? `: ${how}` : ''} in ${Math.round(ran.durationMs)} ms`;
  }
  const verdicts = [...new Set(calls.map(({ verdict }) => verdict))].join(', ');
  const ending = ended ?? (verdicts || (accepted === undefined ? '' : accepted ? 'done' : 'refused'));
  const { moved, left = [] } = operation ?? {};
  const figures = moved === undefined ? undefined : `${moved} moved, ${left.length} left`;
  const why = [reasonCode, figures, operation?.problem, detail]
    .filter((part) => part && part !== ending && part !== 'rule_match')
    .join(', ');
  // People are asked something that is no call.
  if (!ending && type === 'evaluated') return why ? `ask: ${why}` : 'ask';
  return [ending, why].filter(Boolean).join(': ');
}
