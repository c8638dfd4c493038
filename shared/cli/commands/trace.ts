/** `countersign trace`: all that the gate knows of one proposal, in the order of time. */
import type { Command } from 'commander';
import { recordedLetters } from '../status/letters.ts';
import { approvalSteps, type Candidate, recordSteps, type Step } from '../trace/record-steps.ts';
import { bold, CliError, type Io } from '../support/io.ts';
import { policyNear, setting } from '../support/settings.ts';
import { jsonLine, moment, plain, table } from '../support/terminal.ts';

interface TraceOptions {
  readonly agent?: string;
  readonly deployment?: string;
  readonly auditTable?: string;
  readonly stateTable?: string;
  readonly json?: boolean;
}

export function addTrace(program: Command, io: Io): void {
  program
    .command('trace')
    .summary('one proposal in every source, in the order of time')
    .description(
      'Finds a proposal by its id, by the id of its decision (pid) or by that of a message that was set aside, and shows in the order of time what ' +
        'the record, the approval, its cards and the dead letters have of it, then how to find it in the logs. Needs grantAudit. A source that ' +
        'cannot be read exits with 1, after the others.',
    )
    .argument('<id>', 'of a proposal, a decision or a message')
    .option('--agent <name>', 'whose (default: COUNTERSIGN_AGENT, else every agent of countersign.yaml)')
    .option('--deployment <name>', 'default: COUNTERSIGN_DEPLOYMENT')
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE')
    .option('--state-table <name>', 'default: COUNTERSIGN_STATE_TABLE')
    .option('--json', 'print a line of JSON for each step')
    .action(async (id: string, options: TraceOptions) => {
      const tables = {
        audit: setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io),
        state: setting('COUNTERSIGN_STATE_TABLE', options.stateTable, io),
      };
      const unread: string[] = [];
      const letters = await recordedLetters(tables.audit).catch((error: unknown) => noted('dead letters', error));
      const named = letters?.find(({ messageId }) => messageId === id)?.about;
      const candidates = await candidatesOf(
        named?.proposalId ?? id,
        named ? { ...options, agent: named.agent } : options,
        io,
      );
      const found: { readonly candidate: Candidate; readonly steps: readonly Step[] }[] = [];
      for (const candidate of candidates) {
        const own = (letters ?? []).filter(
          ({ messageId, about }) =>
            messageId === id || (about?.agent === candidate.agent && about.proposalId === candidate.proposalId),
        );
        const [recorded, asked] = await Promise.all([
          recordSteps(candidate, tables, io).catch((error: unknown) => noted('record', error)),
          approvalSteps(candidate, tables).catch((error: unknown) => noted('approval', error)),
        ]);
        const dead = own.map(
          ({ at, messageId, fault }): Step => ({
            at,
            source: 'dead letter',
            what: 'set aside',
            detail: `${fault}; message ${messageId}`,
          }),
        );
        const steps = [...(recorded ?? []), ...(asked ?? []), ...dead];
        if (steps.length) found.push({ candidate, steps: steps.toSorted((a, b) => (a.at < b.at ? -1 : 1)) });
      }
      for (const one of found) print(one.candidate, one.steps, options, io);
      if (unread.length) throw new CliError([...new Set(unread)].join('\n'));
      if (!found.length)
        throw new CliError(
          `nothing is known of ${plain(id)}: it has not arrived, waits in its queue, or is another agent's (countersign status shows the queues)`,
        );

      function noted(source: string, error: unknown): undefined {
        const why = error instanceof Error ? error.message : String(error);
        unread.push(`${source} cannot be read: ${why.replaceAll('\n', ' ')}`);
      }
    });
}

const PID = /^[0-9a-f]{64}$/;

async function candidatesOf(id: string, options: TraceOptions, io: Io): Promise<readonly Candidate[]> {
  const deployment = setting('COUNTERSIGN_DEPLOYMENT', options.deployment, io);
  const named = options.agent ?? io.env['COUNTERSIGN_AGENT'];
  const agents = named === undefined ? Object.keys((await policyNear(io))?.settings.agents ?? {}) : [named];
  if (!agents.length) throw new CliError('name the agent with --agent, or run this beside countersign.yaml');
  const { pidOf } = await import('../../domain/digest.ts');
  return agents.flatMap((agent) => [
    { agent, proposalId: id, pid: pidOf(deployment, agent, id) },
    ...(PID.test(id) ? [{ agent, pid: id }] : []),
  ]);
}

function print({ agent, pid }: Candidate, steps: readonly Step[], { json }: TraceOptions, io: Io): void {
  if (json) {
    for (const step of steps) io.out(jsonLine({ agent, pid, ...step }));
    return;
  }
  const rows = steps.map(({ at, source, what, detail }) => [moment(at), source, what, detail]);
  const heads = (text: string, _: number, row: number) => (row < 0 ? bold(text, io) : text);
  io.out(plain(`${agent}, decision ${pid}`));
  io.out(`\n${table(['WHEN', 'SOURCE', 'WHAT', 'DETAIL'], rows, io.columns, heads)}`);
  io.out(`In the logs of the functions: filter @message like "${pid}" | sort @timestamp\n`);
}
