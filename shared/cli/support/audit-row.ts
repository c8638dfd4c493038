/** One entry of the record as a row: when, what, who, by which rule, how it ended. */
import type { AuditRecord } from '../../ports/audit-log.ts';
import { moment } from './terminal.ts';

/** The people of one answer, without their workspace. */
export const peopleOf = (ids: string): string =>
  ids
    .split(',')
    .map((id) => id.split('/').at(-1))
    .join(', ');

/** `withId`: the list is of several proposals. */
export function rowOf({ entry }: AuditRecord, withId: boolean): string[] {
  const { type, calls = [], proposalId, recordedAt, operation } = entry;
  const tools = [...new Set(calls.map(({ toolName }) => toolName))].join(', ');
  const rules = [...new Set(calls.flatMap(({ rule }) => (rule ? [`${rule.effect} ${rule.pattern}`] : [])))].join('; ');
  const what = [type, operation?.about, tools, withId && proposalId !== null ? proposalId : '']
    .filter(Boolean)
    .join(' ');
  return [moment(recordedAt), what, who(entry), rules, outcome(entry)];
}

function who({ person, decidedBy, agent, type, calls = [] }: AuditRecord['entry']): string {
  if (person) return person.user;
  if (decidedBy?.type === 'human') return peopleOf(decidedBy.id);
  // The row names the rule itself; its number in the file means nothing to a person.
  if (decidedBy?.type === 'rule' && calls.some(({ rule }) => rule?.id === decidedBy.id)) return 'rule';
  if (decidedBy) return `${decidedBy.type} ${decidedBy.id}`;
  return type === 'evaluated' ? agent : '';
}

function outcome({
  outcome: ended,
  calls = [],
  accepted,
  reasonCode,
  detail,
  task,
  operation,
}: AuditRecord['entry']): string {
  if (task) return `${task.decision_type}: ${task.response_preview.replaceAll('\n', ' ')}`;
  const verdicts = [...new Set(calls.map(({ verdict }) => verdict))].join(', ');
  const said = ended ?? (verdicts || (accepted === undefined ? '' : accepted ? 'done' : 'refused'));
  const why = [reasonCode, operation?.problem, detail]
    .filter((part) => part && part !== said && part !== 'rule_match')
    .join(', ');
  return why ? `${said}: ${why}` : said;
}
