/** Stores the record: every entry is put once under a key of its own. */
import type { AuditEntry, Decision } from '../../contract/index.ts';
import type { EntryPosition } from '../../domain/record/record-cursor.ts';
import type { RecordFamily } from '../../domain/record/record-families.ts';

/** By the first word of the sort. */
const FAMILY_OF: Readonly<Record<string, RecordFamily>> = {
  evaluated: 'decision',
  decided: 'decision',
  cancel: 'decision',
  stage: 'decision',
  vote: 'vote',
  pass: 'vote',
  click: 'click',
  ran: 'run',
  refused: 'refusal',
  dead: 'refusal',
  operation: 'operation',
};

/** Undefined for a sort that belongs to none. */
export function knownFamilyOf(sort: string): RecordFamily | undefined {
  const [word = ''] = sort.split('#');
  return Object.hasOwn(FAMILY_OF, word) ? FAMILY_OF[word] : undefined;
}

/** The family of an entry that is to be written. @throws Error for a sort that belongs to no family: nobody could write it. */
export function familyOf(sort: string): RecordFamily {
  const family = knownFamilyOf(sort);
  if (!family) throw new Error(`entries named ${sort} belong to no family of the record`);
  return family;
}

/** The verdict on a whole proposal, as the gate first wrote it. */
export type ClaimVerdict = 'allow' | 'deny' | 'ask' | 'error' | 'cancelled';

interface AuditKey {
  readonly agent: string;
  readonly pid: string;
  /** `evaluated`, `decided`, `click#…`, `refused#…`; unique among the entries of one proposal. The first word names the family. */
  readonly sort: string;
}

export interface AuditRecord {
  readonly key: AuditKey;
  readonly entry: AuditEntry;
  /** On `evaluated` and `decided`: the answer that the agent reads. */
  readonly decision?: Decision | undefined;
  /** When a `decided` is put that names people otherwise than the approval's row: the decision as the row holds it. Not read back. */
  readonly rowDecision?: Decision | undefined;
  /** On `evaluated`, when it is read back: what the claim came to. */
  readonly verdict?: ClaimVerdict | undefined;
  /** When it is put: milliseconds since 1970 from which on the store may let it go (G38). Not read back. */
  readonly expiresAt?: number | undefined;
}

/** The place of an entry among all, newest first. */
export const positionOf = ({ key, entry }: AuditRecord): EntryPosition => ({
  at: entry.recordedAt,
  id: `${key.agent}#${key.pid}#${key.sort}`,
});

/** Describes the entries that are looked for; a field that is absent is not looked at. Texts are compared exactly. */
export interface RecordQuery {
  /** At least one. */
  readonly agents: readonly string[];
  /** Instants, both included. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly outcome?: string | undefined;
  readonly tool?: string | undefined;
  /** The pattern of a rule, with its effect before it or without. */
  readonly rule?: string | undefined;
  /** The id of a person, of an operator, or of the people who decided. */
  readonly person?: string | undefined;
  /** The alias of that person, under which newer entries name them. */
  readonly alias?: string | undefined;
  readonly session?: string | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  readonly unreadable?: Unreadable | undefined;
}

/** Hears of entries that cannot be read, as of a newer release, which are left out then; without it the first of them is thrown. */
export type Unreadable = (problem: unknown) => void;

interface RecordPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** Absent: these were the last. */
  readonly next?: string | undefined;
}

/** How many entries there are of one combination of facets. */
export interface FacetCount {
  readonly agent: string;
  /** One of the entries that were counted. */
  readonly sample: AuditRecord;
  readonly count: number;
  /** How long people took, of entries that tell. */
  readonly waitedMs: readonly number[];
}

export interface AuditLog {
  /** Puts one entry; false if the key is taken, and then nothing changes. */
  put(record: AuditRecord): Promise<boolean>;
  /** The entries of one proposal, oldest first: of these families, or of all. */
  ofProposal(
    agent: string,
    pid: string,
    families?: readonly RecordFamily[],
    unreadable?: Unreadable,
  ): Promise<readonly AuditRecord[]>;
  /** The entries of one proposal in the partition of one family, oldest first. Entries of before there were families stand elsewhere. */
  ofFamily(agent: string, pid: string, family: RecordFamily): Promise<readonly AuditRecord[]>;
  /** The newest entries of an agent, newest first. */
  recent(agent: string, limit: number, unreadable?: Unreadable): Promise<readonly AuditRecord[]>;
  /** A page of the entries that match, of all these agents, newest first. @throws CountersignError if `after` is no cursor. */
  find(query: RecordQuery): Promise<RecordPage>;
  /**
   * Entries of the time, counted by what they are about. `unreadable` hears of each entry that is not counted: an index may count one that
   * cannot be read with those that are about the same.
   */
  count(query: Pick<RecordQuery, 'agents' | 'since' | 'until' | 'unreadable'>): Promise<readonly FacetCount[]>;
}
