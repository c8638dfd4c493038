/** `countersign pending`: who is waited for. */
import type { Command } from 'commander';
import { callsOf } from '../../domain/approval.ts';
import { bold, CliError, type Io } from '../support/io.ts';
import { setting } from '../support/settings.ts';
import { duration, jsonLine, moment, plain, table } from '../support/terminal.ts';

interface PendingOptions {
  readonly stateTable?: string;
  readonly agent?: string;
  readonly json?: boolean;
}

export function addPending(program: Command, io: Io): void {
  program
    .command('pending')
    .summary('approvals that wait for people')
    .description(
      'Lists the approvals that wait for people, oldest first; of one proposal everything that would run, without its secrets. ' +
        'Needs the right to read them (grantAudit or grantOperate).',
    )
    .argument('[proposal]', 'show this one in full')
    .option('--state-table <name>', 'default: COUNTERSIGN_STATE_TABLE')
    .option('--agent <name>', "only this agent's")
    .option('--json', 'print a line of JSON for each')
    .action(async (proposal: string | undefined, options: PendingOptions) => {
      const unreadable: unknown[] = [];
      await printPending(proposal, options, unreadable, io);
      // After the others, which it must not hide.
      if (unreadable.length) throw unreadable[0];
    });
}

async function printPending(
  proposal: string | undefined,
  options: PendingOptions,
  unreadable: unknown[],
  io: Io,
): Promise<void> {
  const stateTable = setting('COUNTERSIGN_STATE_TABLE', options.stateTable, io);
  const { waitingApprovals } = await import('../../adapters/dynamodb/pending-approvals.ts');
  const { dynamo } = await import('../support/clients.ts');
  const now = io.now();
  const waiting = (await waitingApprovals(await dynamo(), stateTable, (problem) => unreadable.push(problem))).filter(
    ({ approval: { agent, proposalId } }) =>
      (options.agent === undefined || agent === options.agent) && (proposal === undefined || proposalId === proposal),
  );
  if (proposal !== undefined && !options.json) {
    const { readWaiting, textOfWaiting } = await import('../support/waiting.ts');
    if (!waiting.length) throw new CliError(`nothing waits for people that is named ${plain(proposal)}`);
    const texts = waiting.map(async ({ approval: { pid } }) =>
      textOfWaiting(await readWaiting(pid, proposal, stateTable), io),
    );
    return io.out((await Promise.all(texts)).join('\n'));
  }
  const rows = waiting.map(({ approval, cardProblem }) => ({
    proposalId: approval.proposalId,
    agent: approval.agent,
    tools: [...new Set(callsOf(approval.question).map(({ toolName }) => toolName))],
    asks: approval.question.stages.map(({ group }) => group),
    votes: approval.votes.length,
    round: approval.round,
    requestedAt: approval.requestedAt,
    expiresAt: approval.expiresAt,
    pid: approval.pid,
    ...(cardProblem ? { card: cardProblem } : {}),
  }));
  if (options.json) {
    for (const row of rows) io.out(jsonLine(row));
    return;
  }
  if (!rows.length) return unreadable.length ? undefined : io.out('Nothing waits.\n');
  // Only where people do not see a card is there anything to say of it.
  const withCards = rows.some(({ card }) => card !== undefined);
  const withRounds = rows.some(({ round }) => round > 1);
  const cells = rows.map(({ proposalId, agent, tools, asks, requestedAt, expiresAt, round, card }) => {
    const left = Date.parse(expiresAt) - now;
    return [
      proposalId,
      agent,
      tools.join(', '),
      asks.join(', '),
      moment(requestedAt),
      left > 0 ? duration(left) : 'over',
      ...(withRounds ? [String(round)] : []),
      ...(withCards ? [card ?? ''] : []),
    ];
  });
  const headings = ['PROPOSAL', 'AGENT', 'TOOL', 'ASKED', 'SINCE', 'LEFT'];
  headings.push(...(withRounds ? ['ROUND'] : []), ...(withCards ? ['CARD'] : []));
  io.out(table(headings, cells, io.columns, (text, _, row) => (row < 0 ? bold(text, io) : text)));
}
