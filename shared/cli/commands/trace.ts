/** `countersign trace`: all that the gate knows of one proposal, in the order of time. */
import type { Command } from 'commander';
import type { Approval } from '../../contract/index.ts';
import { timesOf } from '../support/audit/audit-query.ts';
import { approvalsOnCard } from '../support/card-id.ts';
import { bold, CliError, type Io } from '../support/io.ts';
import { agentsMeant, setting } from '../support/settings.ts';
import { jsonLine, moment, plain, table } from '../support/terminal.ts';
import type { Sources } from '../trace/sources.ts';
import type { Candidate, TracedDecision } from '../trace/step.ts';

interface TraceOptions {
  readonly agent?: string;
  readonly since?: string;
  readonly history?: boolean;
  readonly deployment?: string;
  readonly auditTable?: string;
  readonly stateTable?: string;
  readonly json?: boolean;
}

export function addTrace(program: Command, io: Io): void {
  program
    .command('trace')
    .summary('show one proposal in every source, in the order of time')
    .description(
      'Finds a proposal by its id, by the id of its decision (pid), by that of a message that was set aside, or, while it waits for people, by ' +
        'the id on its card, and shows in the order of time what the record, the approval, its cards, its workflow, the logs of all functions and ' +
        'the dead letters have of it, then the queues that hold dead letters now. Needs grantAudit; grantOperate shows all but the record. A source that cannot be read exits with 1, after the others.',
    )
    .argument('<id>', 'of a proposal, a decision, a message or a card')
    .option('--agent <name>', 'whose (default: COUNTERSIGN_AGENT, else every agent of countersign.yaml)')
    .option(
      '--since <time>',
      'how far back logs are read: 2h, 7d or an instant (default: what else is known, else one day)',
    )
    .option(
      '--history',
      'each transition of the workflow; needs states:GetExecutionHistory, which no role of the gate has',
    )
    .option('--deployment <name>', 'default: COUNTERSIGN_DEPLOYMENT')
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE')
    .option('--state-table <name>', 'default: COUNTERSIGN_STATE_TABLE')
    .option('--json', 'print a line of JSON for each step')
    .action(async (id: string, options: TraceOptions) => {
      const { readSources } = await import('../trace/sources.ts');
      const deployment = setting('COUNTERSIGN_DEPLOYMENT', options.deployment, io);
      const { since } = timesOf(options.since === undefined ? {} : { since: options.since }, io);
      const auditTable = setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io);
      const stateTable = setting('COUNTERSIGN_STATE_TABLE', options.stateTable, io);
      const onCards = await approvalsOnCard(id, stateTable);
      const sources: Sources = await readSources(
        id,
        {
          deployment,
          auditTable,
          stateTable,
          hasHistory: options.history ?? false,
          ...(since === undefined ? {} : { since: Date.parse(since) }),
        },
        async (proposalId, agent) =>
          candidatesOf(proposalId, deployment, { agent: agent ?? options.agent, onCards }, io),
        io,
      );
      for (const one of sources.found) print(id, one, options, io);
      if (sources.unread) throw new CliError(sources.unread);
      if (!sources.found.length)
        throw new CliError(
          `nothing is known of ${plain(id)}: it has not arrived, waits in its queue, or is another agent's (countersign status shows the queues)`,
        );
    });
}

const PID = /^[0-9a-f]{64}$/;

/** Approvals of cards come first: a proposal that is named like their id hides none of them. */
async function candidatesOf(
  id: string,
  deployment: string,
  { agent, onCards }: { readonly agent: string | undefined; readonly onCards: readonly Approval[] },
  io: Io,
): Promise<readonly Candidate[]> {
  const shown = onCards.filter((one) => agent === undefined || one.agent === agent);
  const { pidOf } = await import('../../domain/digest.ts');
  const named = await agentsMeant(agent, io).catch((error: unknown) => {
    // A card names its agent.
    if (shown.length) return [];
    throw error;
  });
  const others = named.flatMap((one) => [
    { agent: one, proposalId: id, pid: pidOf(deployment, one, id) },
    ...(PID.test(id) && !shown.length ? [{ agent: one, pid: id }] : []),
  ]);
  return [...shown.map(({ agent, proposalId, pid }) => ({ agent, proposalId, pid })), ...others];
}

function print(id: string, { candidate, pids, steps }: TracedDecision, { json }: TraceOptions, io: Io): void {
  if (json) {
    const of = candidate && { agent: candidate.agent, pid: candidate.pid };
    for (const step of steps) io.out(jsonLine({ ...of, ...step }));
    return;
  }
  const rows = steps.map(({ at, source, what, detail }) => [moment(at), source, what, detail]);
  const heads = (text: string, _: number, row: number) => (row < 0 ? bold(text, io) : text);
  const of = pids?.size ? `, of the decision ${[...pids].join(', ')}` : '';
  const lines = `lines of logs that hold ${id}${of}; nothing else has it under the agents that were looked at: name its agent with --agent`;
  io.out(plain(candidate ? `${candidate.agent}, decision ${candidate.pid}` : lines));
  io.out(`\n${table(['WHEN', 'SOURCE', 'WHAT', 'DETAIL'], rows, io.columns, heads)}\n`);
}
