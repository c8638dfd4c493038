/** `countersign audit`: the record of one proposal, or the newest entries of an agent. */
import { type Command, Option } from 'commander';
import type { Proposal } from '../../contract/index.ts';
import { nameOfCall } from '../../domain/call-name.ts';
import { OPERATIONS } from '../../domain/operation-id.ts';
import type { AuditRecord } from '../../ports/audit-log.ts';
import { bold, CliError, colored, EXIT, type Io } from '../support/io.ts';
import { agentNear, setting } from '../support/settings.ts';
import { jsonLine, table } from '../support/terminal.ts';

interface AuditOptions {
  readonly agent?: string;
  readonly operations?: boolean;
  readonly unregistered?: boolean;
  readonly limit: string;
  readonly json?: boolean;
  readonly deployment?: string;
  readonly auditTable?: string;
}

const OUTCOME = 5;

export function addAudit(program: Command, io: Io): void {
  program
    .command('audit')
    .summary('what was decided, by whom and why')
    .description(
      'Shows the trail of one proposal, oldest first, or the newest entries of an agent. Needs grantAudit; for --operations grantOperate is enough.',
    )
    .argument('[proposal]', "the proposal's id")
    .option('--agent <name>', 'whose (default: COUNTERSIGN_AGENT, else the only agent of countersign.yaml)')
    .addOption(
      new Option('--operations', 'what operators did: pauses, break-glass votes').conflicts(['agent', 'unregistered']),
    )
    .addOption(new Option('--unregistered', 'what came from senders that are registered as nobody').conflicts('agent'))
    .option('--limit <number>', 'how many of the newest entries, 1 to 100', '20')
    .option('--json', 'print a line of JSON for each')
    .option('--deployment <name>', 'default: COUNTERSIGN_DEPLOYMENT')
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE')
    .action(async (proposal: string | undefined, options: AuditOptions) => {
      const limit = limitOf(options);
      const other = options.operations ? '--operations' : options.unregistered ? '--unregistered' : undefined;
      if (proposal !== undefined && other !== undefined)
        throw new CliError(`a proposal belongs to an agent: leave ${other} away`, EXIT.usage);
      const auditTable = setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io);
      const agent = await partitionOf(options, io);
      const records = await read(proposal, agent, limit, auditTable, options, io);
      if (options.json) {
        for (const { key, entry, decision } of records)
          io.out(jsonLine({ sort: key.sort, ...entry, ...(decision ? { decision } : {}) }));
      } else if (!records.length) {
        io.out(`Nothing is recorded of ${proposal === undefined ? agent : `${proposal} by ${agent}`}.\n`);
      } else {
        await print(records, proposal, io);
      }
    });
}

function limitOf(options: AuditOptions): number {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new CliError('--limit takes a number from 1 to 100', EXIT.usage);
  return limit;
}

/** The agent under whose name the entries stand; operations and unknown senders have a name of their own. */
async function partitionOf({ operations, unregistered, agent }: AuditOptions, io: Io): Promise<string> {
  if (operations) return OPERATIONS;
  return unregistered ? '-unregistered' : await agentNear(agent, io);
}

/** Prints a table of the entries; of one proposal also the way of each call to its run, and its choice. */
async function print(records: readonly AuditRecord[], proposal: string | undefined, io: Io): Promise<void> {
  const [{ rowOf }, { CHAIN, chainRows }] = await Promise.all([
    import('../support/audit-row.ts'),
    import('../support/audit-chain.ts'),
  ]);
  const withId = proposal === undefined;
  const headings = ['WHEN', 'WHAT', 'CALL', 'WHO', 'RULE', 'OUTCOME', ...(withId ? ['PROPOSAL'] : [])];
  const { person: nameOf, callOf } = await namesFor(records, io);
  const rows = records.map((record) => rowOf(record, { withId, nameOf, callOf }));
  io.out(
    table(headings, rows, io.columns, (text, column, row) =>
      row < 0 ? bold(text, io) : column === OUTCOME ? colored(text, io) : text,
    ),
  );
  if (proposal === undefined) return;
  const chain = chainRows(records, nameOf);
  if (chain.length) io.out(`\n${table(CHAIN, chain, io.columns, (text, _, row) => (row < 0 ? bold(text, io) : text))}`);
  const { textOfChoice } = await import('../support/choice-text.ts');
  for (const { entry } of records) if (entry.choice) io.out(textOfChoice(entry.choice, io.columns));
}

/** The calls as they were asked, where the state table is known and still has their texts; people as the policy file calls them. */
async function namesFor(records: readonly AuditRecord[], io: Io) {
  const { namesNear, proposalsOf } = await import('../support/call-names.ts');
  const stateTable = io.env['COUNTERSIGN_STATE_TABLE'];
  const pids = records.flatMap(({ entry }) => (entry.proposalId === null || entry.pid === null ? [] : [entry.pid]));
  const [names, proposals] = await Promise.all([
    namesNear(io),
    stateTable === undefined ? new Map<string, Proposal>() : proposalsOf(pids, stateTable),
  ]);
  const callOf = (pid: string): string | undefined => {
    const proposal = proposals.get(pid);
    if (proposal?.kind === 'input-request') return proposal.question;
    if (proposal?.kind !== 'tool-call') return undefined;
    const [first, ...others] = proposal.calls.map((call) => nameOfCall(call, names.tools).text);
    return others.length ? `${others.length + 1} calls: ${first}, …` : first;
  };
  return { person: names.person, callOf };
}

async function read(
  proposal: string | undefined,
  agent: string,
  limit: number,
  auditTable: string,
  options: AuditOptions,
  io: Io,
) {
  const [{ dynamoAuditLog }, { dynamo }] = await Promise.all([
    import('../../adapters/dynamodb/audit-log.ts'),
    import('../support/clients.ts'),
  ]);
  const log = dynamoAuditLog(await dynamo(), { audit: auditTable, state: '' });
  if (proposal === undefined) return log.recent(agent, limit);
  const deployment = setting('COUNTERSIGN_DEPLOYMENT', options.deployment, io);
  const { pidOf } = await import('../../domain/digest.ts');
  return log.ofProposal(agent, pidOf(deployment, agent, proposal));
}
