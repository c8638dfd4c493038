/** `countersign audit`: the record of one proposal, or the entries that match, page by page. */
import { type Command, Option } from 'commander';
import { type AuditRecord, positionOf } from '../../../ports/stores/audit-log.ts';
import { filtersGiven, filtersOf, withFilters } from '../../support/audit/audit-query.ts';
import { type AuditOptions, list, MAX_LIMIT, type Records, recordOf, trail } from '../../support/audit/audit-read.ts';
import { bold, CliError, colored, EXIT, type Io, throwUnread } from '../../support/io.ts';
import { undeclaredAgents, undeclaredPerson, warnOf } from '../../support/settings.ts';
import { jsonLine, plain, table } from '../../support/terminal.ts';

const OUTCOME = 5;

type Names = Awaited<ReturnType<typeof import('../../support/audit/audit-names.ts')['namesFor']>>;

export function addAudit(program: Command, io: Io): void {
  withFilters(
    program
      .command('audit')
      .summary('show what was decided, by whom and why')
      .description(
        'Shows the trail of one proposal, oldest first, with the call that was proposed; or the entries that match, newest first, page by page. With --matches, whether they are about the call that --tool and --input name. Needs grantAudit; for --operations grantOperate is enough.',
      )
      .argument('[proposal]', "the proposal's id")
      .option('--agent <name>', 'whose (default: COUNTERSIGN_AGENT, else any agent of countersign.yaml)')
      .addOption(
        new Option('--operations', 'what operators did: pauses, break-glass votes').conflicts([
          'agent',
          'unregistered',
        ]),
      )
      .addOption(
        new Option('--unregistered', 'what came from senders that are registered as nobody').conflicts('agent'),
      ),
  )
    .option('--matches', 'only entries about the call of --tool, --input and --cwd, compared by its digest')
    .option('--input <json>', 'with --matches: the arguments of the call')
    .option('--cwd <path>', 'with --matches: the folder that the call stated, if it stated one')
    .option('--limit <number>', `how many entries, 1 to ${MAX_LIMIT}`, '20')
    .option('--after <cursor>', 'the next page: what the page before ended with')
    .option('--json', 'print a line of JSON for each; `cursor` of the last one is for --after')
    .option('--deployment <name>', 'default: COUNTERSIGN_DEPLOYMENT')
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE')
    .option('--text-bucket <name>', 'texts that fit no entry (default: COUNTERSIGN_TEXT_BUCKET)')
    .option('--digest-key <arn>', 'with --matches: the secret that keys digests (default: COUNTERSIGN_DIGEST_KEY)')
    .action((proposal: string | undefined, options: AuditOptions) => showAudit(proposal, options, io));
}

async function showAudit(proposal: string | undefined, options: AuditOptions, io: Io): Promise<void> {
  checkOptions(proposal, options);
  const log = await recordOf(options, io);
  const found = proposal === undefined ? await list(options, log, io) : await trail(proposal, options, log, io);
  await printFound(proposal, found, options, io);
  throwUnread(found.unreadable ?? [], 'entry', 'entries');
}

async function printFound(proposal: string | undefined, found: Records, options: AuditOptions, io: Io): Promise<void> {
  // A list may be empty; a proposal that is named and not there is misspelt, or another agent's.
  if (proposal !== undefined && !found.records.length && !found.unreadable?.length)
    throw new CliError(plain(await nothing(proposal, found.agents, options, io)));
  const bucket = options.textBucket ?? io.env['COUNTERSIGN_TEXT_BUCKET'];
  const texts =
    bucket === undefined ? undefined : await (await import('../../support/audit/record-texts.ts')).recordTexts(bucket);
  const { detailOf, withText } = await import('../../support/audit/audit-detail.ts');
  const records = await Promise.all(
    proposal === undefined ? found.records : found.records.map((record) => withText(record, texts)),
  );
  if (options.json) {
    const { cursorOf } = await import('../../../domain/record/record-cursor.ts');
    for (const record of records) {
      const { key, entry, decision } = record;
      const page = proposal === undefined ? { cursor: cursorOf(positionOf(record)) } : {};
      io.out(jsonLine({ sort: key.sort, ...entry, ...(decision ? { decision } : {}), ...page }));
    }
    if (records.length || found.unreadable?.length) return;
    return warnOf(await undeclared(found.agents, options, io), io);
  }
  if (!records.length && found.unreadable?.length) return;
  if (!records.length) return io.out(`${plain(await nothing(proposal, found.agents, options, io))}\n`);
  const { namesFor } = await import('../../support/audit/audit-names.ts');
  const names = await namesFor(records, io);
  await printRecords(records, { isTrail: proposal !== undefined, areSeveral: found.agents.length > 1 }, names, io);
  if (proposal !== undefined) io.out(await detailOf(records, texts, { columns: io.columns, nameOf: names.person }));
  if (found.next !== undefined) io.out(`\nThere are more: --after ${found.next}\n`);
}

/** @throws CliError for options that say nothing together. */
function checkOptions(proposal: string | undefined, options: AuditOptions): void {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new CliError(`--limit takes a number from 1 to ${MAX_LIMIT}`, EXIT.usage);
  const { operations, unregistered, input, cwd, matches } = options;
  if (proposal !== undefined && (operations || unregistered))
    throw new CliError(
      `a proposal belongs to an agent: leave ${operations ? '--operations' : '--unregistered'} away`,
      EXIT.usage,
    );
  // A trail is shown whole: that an entry is missing would read like an answer.
  const [filter] = proposal === undefined ? [] : filtersGiven(options).filter((name) => !(matches && name === 'tool'));
  if (filter !== undefined)
    throw new CliError(`--${filter} is for a list of entries: leave it or the proposal away`, EXIT.usage);
  if (!matches && (input !== undefined || cwd !== undefined))
    throw new CliError(`--${input === undefined ? 'cwd' : 'input'} belongs to --matches`, EXIT.usage);
}

async function nothing(
  proposal: string | undefined,
  agents: readonly string[],
  options: AuditOptions,
  io: Io,
): Promise<string> {
  const about = options.matches ? ' about this call' : '';
  const whose = agents.join(', ');
  const filters = filtersOf(options);
  const nothingOf =
    proposal === undefined ? `Nothing is recorded of ${whose}` : `Nothing is recorded of ${proposal} by ${whose}`;
  const what = filters && proposal === undefined ? `No entry of ${whose} has ${filters}` : nothingOf;
  return `${what}${about}.${await undeclared(agents, options, io)}`;
}

async function undeclared(agents: readonly string[], { person }: AuditOptions, io: Io): Promise<string> {
  return `${await undeclaredAgents(agents, io)}${person === undefined ? '' : await undeclaredPerson(person, io)}`;
}

async function printRecords(
  records: readonly AuditRecord[],
  { isTrail, areSeveral }: { readonly isTrail: boolean; readonly areSeveral: boolean },
  { person: nameOf, callOf }: Names,
  io: Io,
): Promise<void> {
  const [{ rowOf }, { CHAIN, chainRows }] = await Promise.all([
    import('../../support/audit/audit-row.ts'),
    import('../../support/audit/audit-chain.ts'),
  ]);
  const withId = !isTrail;
  // Two agents may have proposals of one name, and a decision's row names who decided.
  const withAgent = withId && areSeveral;
  const ids = [...(withAgent ? ['AGENT'] : []), ...(withId ? ['PROPOSAL'] : [])];
  const headings = ['WHEN', 'WHAT', 'CALL', 'WHO', 'RULE', 'OUTCOME', ...ids];
  const rows = records.map((record) => rowOf(record, { withId, withAgent, nameOf, callOf }));
  io.out(
    table(headings, rows, io.columns, (text, column, row) =>
      row < 0 ? bold(text, io) : column === OUTCOME ? colored(text, io) : text,
    ),
  );
  if (!isTrail) return;
  const chain = chainRows(records, nameOf);
  if (chain.length) io.out(`\n${table(CHAIN, chain, io.columns, (text, _, row) => (row < 0 ? bold(text, io) : text))}`);
  const { textOfChoice } = await import('../../support/audit/choice-text.ts');
  for (const { entry } of records) if (entry.choice) io.out(textOfChoice(entry.choice, io.columns));
}
