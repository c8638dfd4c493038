/** `countersign audit stats` and `audit text`: counts of the record, and texts that its entries name. */
import type { Command } from 'commander';
import { facetsOf } from '../../../domain/record/record-facets.ts';
import type { FacetCount } from '../../../ports/stores/audit-log.ts';
import type { TextKind } from '../../../ports/stores/input-store.ts';
import { type FilterOptions, withTime } from '../../support/audit/audit-query.ts';
import { bold, CliError, EXIT, type Io, throwUnread } from '../../support/io.ts';
import { reasonOf } from '../../support/reason-of.ts';
import { setting, undeclaredAgents, warnOf } from '../../support/settings.ts';
import { duration, jsonLine, jsonTextLine, plain, table } from '../../support/terminal.ts';

interface StatsOptions extends FilterOptions {
  readonly json?: boolean;
  readonly auditTable?: string;
}

/** How often each name occurs, the most frequent first. */
type Counts = readonly (readonly [string, number])[];

interface RecordStats {
  readonly entries: number;
  readonly outcomes: Counts;
  readonly rules: Counts;
  readonly tools: Counts;
  /** Votes by person. */
  readonly votes: Counts;
  /** Absent where people decided nothing. */
  readonly timeToAnswer?: { readonly decisions: number; readonly medianMs: number; readonly p90Ms: number };
}

/** Names of each kind that are shown. */
const SHOWN = 15;

export function addAuditStats(program: Command, io: Io): void {
  const audit = program.commands.find((one) => one.name() === 'audit');
  if (!audit) throw new Error('the command audit is added first');
  withTime(
    audit
      .command('stats')
      .summary('count entries by outcome, rule, tool and person, with the time to answer')
      .description(
        'Counts the entries of a time by outcome, rule, tool and person, and tells how long people took to answer. Needs grantAudit.',
      )
      .option('--agent <name>', 'whose (default: COUNTERSIGN_AGENT, else all agents of countersign.yaml)'),
  )
    .option('--json', 'print one line of JSON')
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE')
    .action((options: StatsOptions) => stats(options, io));
  audit
    .command('text')
    .summary('print a text that entries name by its digest')
    .description(
      'Prints the text under a digest: a proposal without its secrets, a question as people were asked it, a card as somebody saw it who voted, or the policy file of a version (policyVersion). Needs grantAudit.',
    )
    .argument('<digest>', '64 hex digits')
    .option('--text-bucket <name>', 'default: COUNTERSIGN_TEXT_BUCKET')
    .action((digest: string, options: { readonly textBucket?: string }) => text(digest, options.textBucket, io));
}

async function text(digest: string, textBucket: string | undefined, io: Io): Promise<void> {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new CliError('a digest is 64 hex digits', EXIT.usage);
  const bucket = setting('COUNTERSIGN_TEXT_BUCKET', textBucket, io);
  const { isMissing, recordTexts } = await import('../../support/audit/record-texts.ts');
  const texts = await recordTexts(bucket);
  const get = (kind: TextKind) =>
    texts.get(digest, kind).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw new CliError(`the text of ${digest} cannot be read: ${reasonOf(error)}`);
    });
  const found = (await get('record')) ?? (await get('shown'));
  if (found === undefined)
    throw new CliError(
      `there is no text of ${digest} in ${bucket}: a text goes after the longest record.retention, and none is kept with record.text: digests`,
    );
  // An agent wrote most of it.
  io.out(jsonTextLine(found));
}

async function stats(options: StatsOptions, io: Io): Promise<void> {
  const [{ agentsNear, timesOf }, { recordLog }, { namesNear }] = await Promise.all([
    import('../../support/audit/audit-query.ts'),
    import('../../support/audit/record-log.ts'),
    import('../../support/call-names.ts'),
  ]);
  const times = timesOf(options, io);
  // Without a time all agents are counted, too.
  const agents = await agentsNear(options, io);
  const audit = setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io);
  const unread: unknown[] = [];
  const unreadable = (problem: unknown) => void unread.push(problem);
  const counts = await (await recordLog(audit, io)).count({ agents, ...times, unreadable });
  const { person } = await namesNear(io);
  const all = statsOf(counts, person);
  const undeclared = all.entries ? '' : await undeclaredAgents(agents, io);
  if (options.json) {
    io.out(jsonLine(all));
    warnOf(undeclared, io);
  } else printStats(all, agents, undeclared, io);
  throwUnread(unread, 'entry', 'entries');
}

function printStats(all: RecordStats, agents: readonly string[], undeclared: string, io: Io): void {
  const { entries, outcomes, rules, tools, votes, timeToAnswer } = all;
  io.out(`${plain(`${entries} entries of ${agents.join(', ')}.${undeclared}`)}\n`);
  for (const [heading, rows] of [
    ['OUTCOME', outcomes],
    ['RULE', rules],
    ['TOOL', tools],
    ['VOTES OF', votes],
  ] as const) {
    if (!rows.length) continue;
    const shown = rows.slice(0, SHOWN).map(([name, count]) => [name, String(count)]);
    io.out(`\n${table([heading, 'ENTRIES'], shown, io.columns, (cell, _, row) => (row < 0 ? bold(cell, io) : cell))}`);
    if (rows.length > SHOWN) io.out(`… and ${rows.length - SHOWN} more\n`);
  }
  if (timeToAnswer)
    io.out(
      `\nDecisions of people: ${timeToAnswer.decisions}; half within ${duration(timeToAnswer.medianMs)}, nine of ten within ${duration(timeToAnswer.p90Ms)}.\n`,
    );
}

/** Proposals are counted by rule and tool when they were judged first, people by their votes. */
export function statsOf(counts: readonly FacetCount[], nameOf: (user: string) => string): RecordStats {
  const all = counts.map(({ sample, count }) => ({ ...facetsOf(sample.entry), count }));
  const evaluated = all.filter(({ type }) => type === 'evaluated');
  const waited = counts.flatMap(({ waitedMs }) => waitedMs).toSorted((a, b) => a - b);
  const at = (part: number) => waited[Math.min(waited.length - 1, Math.floor(waited.length * part))] ?? 0;
  const ended = all.filter(({ type, outcome }) => type === 'decided' || (type === 'evaluated' && outcome !== 'ask'));
  return {
    entries: all.reduce((sum, { count }) => sum + count, 0),
    outcomes: countsOf(ended, ({ outcome }) => [outcome]),
    rules: countsOf(evaluated, ({ rules }) => rules),
    tools: countsOf(evaluated, ({ tools }) => tools),
    votes: countsOf(
      all.filter(({ type }) => type === 'vote'),
      ({ people }) => people.map(nameOf),
    ),
    ...(waited.length ? { timeToAnswer: { decisions: waited.length, medianMs: at(0.5), p90Ms: at(0.9) } } : {}),
  };
}

function countsOf<One extends { readonly count: number }>(
  all: readonly One[],
  namesOf: (one: One) => readonly string[],
): Counts {
  const counts = new Map<string, number>();
  for (const one of all) for (const name of namesOf(one)) counts.set(name, (counts.get(name) ?? 0) + one.count);
  return [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}
