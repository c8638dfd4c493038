/** Reads the options by which entries of the record are looked for. */
import type { Command } from 'commander';
import { parseInstant } from '../../../domain/parse-instant.ts';
import { OPERATIONS } from '../../../domain/record/operation-id.ts';
import { orNearest } from '../../../domain/text/nearest.ts';
import type { RecordQuery } from '../../../ports/stores/audit-log.ts';
import { UNREGISTERED } from '../../../use-cases/identity.ts';
import { CliError, EXIT, type Io } from '../io.ts';
import { agentsMeant, policyNear } from '../settings.ts';

interface TimeOptions {
  readonly since?: string;
  readonly until?: string;
}

export interface FilterOptions extends TimeOptions {
  readonly agent?: string;
  readonly operations?: boolean;
  readonly unregistered?: boolean;
  readonly tool?: string;
  readonly outcome?: string;
  readonly person?: string;
  readonly rule?: string;
  readonly session?: string;
}

const FILTERS = ['tool', 'outcome', 'person', 'rule', 'session', 'since', 'until'] as const;

export const withTime = (command: Command): Command =>
  command
    .option('--since <time>', 'from this time on: 2026-11-01, 2026-11-01T09:00:00Z, or 30m, 24h, 7d for so long ago')
    .option('--until <time>', 'up to this time, likewise; a date alone is 00:00 UTC, where its day begins');

export const withFilters = (command: Command): Command =>
  withTime(command)
    .option('--tool <name>', 'only entries about this tool')
    .option('--outcome <word>', 'approved, denied, ask, expired, cancelled, error, done, refused, …')
    .option('--person <name>', 'a person or operator of countersign.yaml, or a Slack id')
    .option('--rule <pattern>', 'as the file has it: Bash(rm:*), or with its effect: deny Bash(rm:*)')
    .option('--session <id>', 'only entries of this session');

export const filtersGiven = (options: FilterOptions): readonly (typeof FILTERS)[number][] =>
  FILTERS.filter((name) => options[name] !== undefined);

/** The filters as they were given, for an answer that found nothing; empty without any. */
export const filtersOf = (options: FilterOptions): string =>
  filtersGiven(options)
    .map((name) => `--${name} ${options[name]}`)
    .join(' ');

/** @throws CliError that names the option with its value. */
export async function queryOf(options: FilterOptions, io: Io): Promise<Omit<RecordQuery, 'limit' | 'after'>> {
  const { tool, outcome, rule, session } = options;
  if (outcome !== undefined) await checkOutcome(outcome);
  const person = options.person === undefined ? undefined : await personNear(options.person, io);
  return { agents: await agentsNear(options, io), ...timesOf(options, io), tool, outcome, rule, session, person };
}

/** No entry has an outcome that is misspelt: that nothing is found would read like an answer. */
async function checkOutcome(outcome: string): Promise<void> {
  const { OUTCOME_WORDS } = await import('./searched-outcomes.ts');
  if (OUTCOME_WORDS.includes(outcome)) return;
  const known = `no entry has the outcome ${outcome}; there are ${OUTCOME_WORDS.join(', ')}`;
  throw new CliError(`--outcome: ${known}${orNearest(outcome, OUTCOME_WORDS)}`, EXIT.usage);
}

export function timesOf({ since, until }: TimeOptions, io: Io): Pick<RecordQuery, 'since' | 'until'> {
  const [from, to] = [timeOf('--since', since, io), timeOf('--until', until, io)];
  if (from !== undefined && to !== undefined && from > to)
    throw new CliError('--since is later than --until', EXIT.usage);
  // Somebody means that day, and would read an empty page as an answer.
  if (from !== undefined && from === to)
    throw new CliError(
      `--until ${until} ends where ${since} begins: for a whole day name the next one, which begins at 00:00 UTC`,
      EXIT.usage,
    );
  return { since: from, until: to };
}

/** A duration lies in the past: nothing is recorded of what comes. */
function timeOf(option: string, text: string | undefined, io: Io): string | undefined {
  if (text === undefined) return undefined;
  const now = io.now();
  const ahead = /^\d+(s|m|h|d)$/.test(text);
  const at = parseInstant(text, now);
  if (at === undefined)
    throw new CliError(
      `${option}: ${text} is no time: write 2026-11-21T09:30:00Z, 2026-11-21, or 30m, 24h, 7d`,
      EXIT.usage,
    );
  return new Date(ahead ? 2 * now - at : at).toISOString();
}

/** The agent that is named; where none is, all agents of the policy file. */
export async function agentsNear(options: FilterOptions, io: Io): Promise<readonly string[]> {
  if (options.operations) return [OPERATIONS];
  if (options.unregistered) return [UNREGISTERED];
  const isNamed = (options.agent ?? io.env['COUNTERSIGN_AGENT']) !== undefined;
  const agents = await agentsMeant(options.agent, io);
  // People act as operators, too.
  return isNamed || options.person === undefined ? agents : [...agents, OPERATIONS];
}

/** The record names people by their Slack ids, and operators by their names. */
async function personNear(name: string, io: Io): Promise<string> {
  const settings = (await policyNear(io))?.settings;
  if (settings && Object.hasOwn(settings.people, name)) return settings.people[name]?.user ?? name;
  return name;
}
