/** `countersign trace`: all that the gate knows of one proposal, in the order of time. */
import type { Command } from 'commander';
import type { ApprovalView } from '../../ports/approval-store.ts';
import { bold, CliError, type Io } from '../support/io.ts';
import { policyNear, setting } from '../support/settings.ts';
import { jsonLine, moment, plain, table } from '../support/terminal.ts';
import { recordedLetters } from './dead.ts';

interface TraceOptions {
  readonly agent?: string;
  readonly deployment?: string;
  readonly auditTable?: string;
  readonly stateTable?: string;
  readonly json?: boolean;
}

interface Step {
  /** ISO 8601. */
  readonly at: string;
  readonly source: 'record' | 'approval' | 'card' | 'dead letter';
  readonly what: string;
  readonly detail: string;
}

/** A proposal that the id may mean. */
interface Candidate {
  readonly agent: string;
  readonly proposalId?: string;
  readonly pid: string;
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

async function recordSteps({ agent, pid }: Candidate, tables: { readonly audit: string }, io: Io): Promise<Step[]> {
  const [{ dynamoAuditLog }, { dynamo }, { rowOf }, { namesFor }] = await Promise.all([
    import('../../adapters/dynamodb/audit-log.ts'),
    import('../support/clients.ts'),
    import('../support/audit-row.ts'),
    import('../support/audit-names.ts'),
  ]);
  const log = dynamoAuditLog(await dynamo(), { audit: tables.audit, state: '' });
  const records = await log.ofProposal(agent, pid);
  const { person: nameOf, callOf } = await namesFor(records, io);
  return records.map((record) => {
    const [, what = '', ...others] = rowOf(record, { withId: false, nameOf, callOf });
    return { at: record.entry.recordedAt, source: 'record', what, detail: others.filter(Boolean).join(' · ') };
  });
}

async function approvalSteps({ pid }: Candidate, tables: { readonly state: string }): Promise<Step[]> {
  const [{ dynamoApprovalStore }, { dynamo }, { UnreadableApprovalError }] = await Promise.all([
    import('../../adapters/dynamodb/approval-store.ts'),
    import('../support/clients.ts'),
    import('../../domain/unread-approval.ts'),
  ]);
  // The texts of large proposals are not for readers of the trace.
  const inputs = { put: async () => undefined, get: async () => '' };
  const store = dynamoApprovalStore(await dynamo(), { state: tables.state, audit: '' }, inputs);
  const view = await store.read(pid).catch((error: unknown) => {
    if (error instanceof UnreadableApprovalError) throw new Error('its row is not as this version writes it');
    throw error;
  });
  return view ? [...rowSteps(view), ...cardSteps(view)] : [];
}

function rowSteps({ approval, cardProblem }: ApprovalView): Step[] {
  const { requestedAt, stageSince, endedAt, status, question, stage = 0, escalated, round, follows } = approval;
  const asked = (at: string, index: number): Step => {
    const { group, channel } = question.stages[index] ?? { group: '', channel: '' };
    const which = `round ${round}, stage ${index + 1} of ${question.stages.length}`;
    return { at, source: 'approval', what: 'asked', detail: `${group} in ${channel}, ${which}` };
  };
  const problem = follows === undefined ? cardProblem : 'waits for the same call that was asked before it';
  const now = { at: stageSince ?? requestedAt, source: 'approval', what: 'waits' } as const;
  return [
    asked(requestedAt, 0),
    ...(stageSince !== undefined && stage > 0 ? [asked(stageSince, stage)] : []),
    ...(stageSince !== undefined && escalated ? [{ ...now, what: 'escalated', detail: '' }] : []),
    ...(problem && endedAt === undefined ? [{ ...now, detail: `no card: ${problem}` }] : []),
    ...(endedAt === undefined ? [] : [{ at: endedAt, source: 'approval' as const, what: 'ended', detail: status }]),
  ];
}

/** Slack's id of a message is its time. */
const cardSteps = ({ cards }: ApprovalView): Step[] =>
  cards.map(({ channel, ts, gone, list }) => ({
    at: new Date(Number(ts) * 1000).toISOString(),
    source: 'card',
    what: gone ? 'posted, and deleted since' : 'posted',
    detail: `${channel} ${ts}${list === undefined ? '' : ', in a list'}`,
  }));

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
