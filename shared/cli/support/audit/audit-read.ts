/** Reads the entries that `countersign audit` shows: of one proposal, or a page of those that match. */
import { type AuditLog, type AuditRecord, positionOf, type Unreadable } from '../../../ports/stores/audit-log.ts';
import { CliError, EXIT, type Io } from '../io.ts';
import { agentsMeant, setting } from '../settings.ts';
import type { MatchOptions } from './audit-matches.ts';
import type { FilterOptions } from './audit-query.ts';

export const MAX_LIMIT = 1_000;

export interface AuditOptions extends FilterOptions, MatchOptions {
  readonly limit: string;
  readonly after?: string;
  readonly matches?: boolean;
  readonly json?: boolean;
  readonly deployment?: string;
  readonly auditTable?: string;
  readonly textBucket?: string;
  readonly digestKey?: string;
}

export interface Records {
  readonly records: readonly AuditRecord[];
  /** The agents among whose entries was looked. */
  readonly agents: readonly string[];
  readonly next?: string | undefined;
  /** Problems of entries that cannot be read: they are to be told after the others, which they must not hide. */
  readonly unreadable?: readonly unknown[];
}

export async function recordOf(options: AuditOptions, io: Io): Promise<AuditLog> {
  const { recordLog } = await import('./record-log.ts');
  return recordLog(setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io), io);
}

/** The entries of a proposal; with --matches those about the call that is named. */
export async function trail(proposal: string, options: AuditOptions, log: AuditLog, io: Io): Promise<Records> {
  const deployment = setting('COUNTERSIGN_DEPLOYMENT', options.deployment, io);
  const isAbout = await matcherOf(options, io);
  const unreadable: unknown[] = [];
  const given = { proposal, deployment, agent: options.agent, unreadable: (one: unknown) => void unreadable.push(one) };
  const found = await trailOf(given, log, io);
  return { ...found, records: found.records.filter(isAbout), unreadable };
}

/** The entries of the agent that has the proposal. @throws CliError that names them where several agents have one of this id */
export async function trailOf(
  {
    proposal,
    deployment,
    agent,
    unreadable,
  }: {
    readonly proposal: string;
    readonly deployment: string;
    readonly agent?: string | undefined;
    readonly unreadable?: Unreadable | undefined;
  },
  log: Pick<AuditLog, 'ofProposal'>,
  io: Io,
): Promise<Records> {
  const agents = await agentsMeant(agent, io);
  const { pidOf } = await import('../../../domain/digest.ts');
  const trails = await Promise.all(
    agents.map(async (one) => ({
      one,
      records: await log.ofProposal(one, pidOf(deployment, one, proposal), undefined, unreadable),
    })),
  );
  const having = trails.filter(({ records }) => records.length > 0);
  if (having.length > 1)
    throw new CliError(
      `several agents have a proposal ${proposal}: give ${having.map(({ one }) => `--agent ${one}`).join(' or ')}`,
      EXIT.usage,
    );
  const [only] = having;
  return only ? { records: only.records, agents: [only.one] } : { records: [], agents };
}

export async function list(options: AuditOptions, log: AuditLog, io: Io): Promise<Records> {
  const { queryOf } = await import('./audit-query.ts');
  const isAbout = await matcherOf(options, io);
  const unreadable: unknown[] = [];
  const query = { ...(await queryOf(options, io)), unreadable: (problem: unknown) => void unreadable.push(problem) };
  const limit = Number(options.limit);
  const { agents } = query;
  if (!options.matches) return { ...(await log.find({ ...query, limit, after: options.after })), agents, unreadable };
  const records: AuditRecord[] = [];
  let after = options.after;
  do {
    const page = await log.find({ ...query, limit: MAX_LIMIT, after });
    records.push(...page.records.filter(isAbout));
    after = page.next;
  } while (after !== undefined && records.length < limit);
  // The last page that was read may hold many.
  const shown = records.slice(0, limit);
  const last = shown.at(-1);
  if (last === undefined || shown.length === records.length) return { records, agents, next: after, unreadable };
  const { cursorOf } = await import('../../../domain/record/record-cursor.ts');
  return { records: shown, agents, next: cursorOf(positionOf(last)), unreadable };
}

async function matcherOf(options: AuditOptions, io: Io): Promise<(record: AuditRecord) => boolean> {
  if (!options.matches) return () => true;
  const [{ isAbout, namedDigest }, { digestKeyOf }] = await Promise.all([
    import('./audit-matches.ts'),
    import('./record-texts.ts'),
  ]);
  const digest = namedDigest(options);
  const key = await digestKeyOf(setting('COUNTERSIGN_DIGEST_KEY', options.digestKey, io));
  return ({ entry }) => isAbout(entry, digest, key);
}
