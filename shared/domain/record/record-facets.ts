/**
 * Names what an entry of the record is about: outcome, tools, rules and people.
 *
 * Entries are found by these facets.
 */
import type { AuditEntry } from '../../contract/index.ts';
import { sha256Hex } from '../digest.ts';

interface Facets {
  readonly type: AuditEntry['type'];
  readonly outcome: string;
  readonly tools: readonly string[];
  /** With their effect: `deny Bash(rm:*)`. */
  readonly rules: readonly string[];
  readonly people: readonly string[];
}

export interface WantedFacets {
  readonly outcome?: string | undefined;
  readonly tool?: string | undefined;
  readonly rule?: string | undefined;
  readonly person?: string | undefined;
  /** Another name of the person. */
  readonly alias?: string | undefined;
}

const EFFECTS = ['deny', 'ask', 'allow'] as const;

export function facetsOf(entry: AuditEntry): Facets {
  const { calls = [], ran, person, operation, decidedBy } = entry;
  const named = [person?.user, operation?.person, operation?.to];
  // Several people who decided together stand in one text, with commas between and their workspace before.
  const deciders = decidedBy?.type === 'human' ? decidedBy.id.split(',').map((id) => id.split('/').at(-1)) : [];
  return {
    type: entry.type,
    outcome: outcomeOf(entry),
    tools: unique([...calls.map(({ toolName }) => toolName), ran?.toolName, operation?.tool]),
    rules: unique(calls.map(({ rule }) => rule && `${rule.effect} ${rule.pattern}`)),
    people: unique([...named, ...deciders]),
  };
}

/** How it ended; else what is asked; else whether it counted. */
function outcomeOf({ outcome, calls = [], accepted, ran, type }: AuditEntry): string {
  if (ran) return ran.status;
  if (outcome) return outcome;
  if (accepted !== undefined) return accepted ? 'done' : 'refused';
  return calls.some(({ verdict }) => verdict === 'ask') || type === 'evaluated' ? 'ask' : type;
}

export const matches = (facets: Facets, wanted: WantedFacets): boolean =>
  (wanted.outcome === undefined || facets.outcome === wanted.outcome) &&
  (wanted.tool === undefined || facets.tools.includes(wanted.tool)) &&
  (wanted.rule === undefined || rulesNamed(wanted.rule).some((rule) => facets.rules.includes(rule))) &&
  (wanted.person === undefined || namesOf(wanted).some((name) => facets.people.includes(name)));

/** A person's names, who is looked for. */
const namesOf = ({ person, alias }: WantedFacets): string[] => [person, alias].filter((name) => name !== undefined);

/** A pattern without its effect is that of any effect. */
const rulesNamed = (rule: string): string[] => [rule, ...EFFECTS.map((effect) => `${effect} ${rule}`)];

/**
 * The combination of an entry as it stands in the index: outcome and type in plain, the others as labels of eight characters. A label says
 * nothing by itself, so that the key stays short; what is found is compared with the entry itself.
 */
export const combinationOf = ({ outcome, type, tools, rules, people }: Facets): string =>
  [outcome, type, ...[tools, rules, people].map((names) => names.map(labelOf).toSorted().join('.'))].join('#');

/** Whether entries of a combination may match. */
export function mayMatch(combination: string, wanted: WantedFacets): boolean {
  const { outcome, tool, rule, person } = wanted;
  const [own, , tools, rules, people] = combination.split('#');
  const has = (labels: string | undefined, names: readonly string[]) =>
    names.some((name) => labels?.split('.').includes(labelOf(name)));
  return (
    (outcome === undefined || own === outcome) &&
    (tool === undefined || has(tools, [tool])) &&
    (rule === undefined || has(rules, rulesNamed(rule))) &&
    (person === undefined || has(people, namesOf(wanted)))
  );
}

/** Most names of one kind in a combination: a proposal has at most twenty calls, and an index key 1,024 bytes. */
const MAX_NAMES = 20;

const labelOf = (name: string): string => Buffer.from(sha256Hex(name), 'hex').toString('base64url').slice(0, 8);

const unique = (names: readonly (string | undefined)[]): string[] =>
  [...new Set(names.filter((name) => name !== undefined && name !== ''))].slice(0, MAX_NAMES) as string[];
