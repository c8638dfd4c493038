/** Words each proposal and each decision as one line, without a call's input. */
import type { CardNames } from '../config/readers/card-names.ts';
import type { AuditRecord } from '../ports/stores/audit-log.ts';

/** Names of people, and lines of rules in the policy file. */
export type LineNames = Pick<CardNames, 'personName' | 'ruleAt'>;

type Entry = AuditRecord['entry'];
type Rule = NonNullable<NonNullable<Entry['calls']>[number]['rule']>;

/** Names of tools and proposals are an agent's own words. */
const MAX_SHOWN = 60;

/** The line of a proposal as it was sent; the gate itself reads the message with care. */
export function proposedLine(agent: string, raw: string): string {
  return `${agent}  ${summaryOf(raw)}  proposed`;
}

/** How a proposal ended, by whom and why, or that people are asked; undefined for entries that decide nothing, such as votes. */
export function decisionLine({ entry, decision, verdict }: AuditRecord, names: LineNames): string | undefined {
  const { type, agent, calls = [], proposal, proposalId } = entry;
  if (type !== 'evaluated' && type !== 'decided') return undefined;
  const ending = decision ? endingOf(decision, entry, names) : verdict === 'ask' ? askedBy(entry, names) : undefined;
  if (ending === undefined) return undefined;
  const tools = calls.map(({ toolName }) => toolName);
  return `${agent}  ${aboutOf(tools, kindIn(proposal), proposalId ?? '')}  ${ending}`;
}

function askedBy({ calls = [] }: Entry, names: LineNames): string {
  const asking = calls.find(({ verdict }) => verdict === 'ask');
  const why = asking?.rule ? ruleText(asking.rule, names) : asking?.reason;
  return `waits for people${why ? ` (${why})` : ''}`;
}

function endingOf(
  { outcome, reasonCode, decidedBy }: NonNullable<AuditRecord['decision']>,
  { calls = [] }: Entry,
  names: LineNames,
): string {
  // The number of a rule means nothing to a person, and a reason that repeats the outcome says nothing.
  const rule = calls.find((call) => decidedBy?.type === 'rule' && call.rule?.id === decidedBy.id)?.rule;
  const reason = rule || reasonCode === outcome ? '' : ` (${reasonCode})`;
  switch (decidedBy?.type) {
    case undefined:
    case 'system':
      return `${outcome}${reason}`;
    case 'human':
      return `${outcome} by ${decidedBy.id
        .split(',')
        .map((id) => personText(id, names))
        .join(', ')}${reason}`;
    default:
      return `${outcome} by ${rule ? ruleText(rule, names) : `${decidedBy.type} ${plain(decidedBy.id)}`}${reason}`;
  }
}

function ruleText({ effect, pattern, source }: Rule, names: LineNames): string {
  const line = names.ruleAt({ pattern, source });
  return `rule ${effect} ${plain(pattern)}${line === undefined ? '' : `, ${plain(line)}`}`;
}

function personText(id: string, names: LineNames): string {
  const [team = '', user = ''] = id.trim().split('/');
  return plain(names.personName({ team, user }) ?? id.trim());
}

/** The tools that a message names, and its own name. */
function summaryOf(raw: string): string {
  try {
    const { proposalId, kind, toolName, calls } = JSON.parse(raw) as Readonly<Record<string, unknown>>;
    const tools = Array.isArray(calls)
      ? calls.map((call: { readonly toolName?: unknown }) => call?.toolName)
      : [toolName];
    const named = tools.filter((tool) => typeof tool === 'string');
    return aboutOf(named, String(kind ?? 'a message'), typeof proposalId === 'string' ? proposalId : '');
  } catch {
    return 'a message that is no JSON';
  }
}

function kindIn(proposal = '{}'): string {
  const { kind = 'a proposal' } = JSON.parse(proposal) as { readonly kind?: string };
  return kind;
}

/** Tools, or the kind of a proposal without any, and its name. */
const aboutOf = (tools: readonly string[], kind: string, id: string): string =>
  [tools.map(plain).join(', ') || plain(kind), plain(id)].join('  ').trim();

const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, MAX_SHOWN);
