/** `countersign pending`: who is waited for. */
import type { Command } from 'commander';
import type { Approval } from '../../contract/index.ts';
import {
  callsOf,
  currentStage,
  type NextDeadline,
  nextDeadline,
  rejectionsSoFar,
} from '../../domain/approval/approval.ts';
import { nameOfApproval } from '../../domain/proposal/call-name.ts';
import type { Names } from '../support/call-names.ts';
import { isOnCardOf } from '../support/card-id.ts';
import { bold, CliError, type Io } from '../support/io.ts';
import { setting, undeclaredAgents, warnOf } from '../support/settings.ts';
import { duration, jsonLine, plain, table } from '../support/terminal.ts';

interface PendingOptions {
  readonly stateTable?: string;
  readonly agent?: string;
  readonly json?: boolean;
}

export function addPending(program: Command, io: Io): void {
  program
    .command('pending')
    .summary('list approvals that wait for people')
    .description(
      'Lists the approvals that wait for people, oldest first: the call, who is asked, their votes so far and the time until the stage ends; ' +
        'of one proposal everything that would run, without its secrets. ' +
        'Needs the right to read them (grantAudit or grantOperate).',
    )
    .argument('[proposal]', 'show this one in full; by the id on its card as well')
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
  const { waitingApprovals } = await import('../../adapters/dynamodb/approvals/pending-approvals.ts');
  const { dynamo } = await import('../support/clients.ts');
  const now = io.now();
  const waiting = (await waitingApprovals(await dynamo(), stateTable, (problem) => unreadable.push(problem))).filter(
    ({ approval: { agent, proposalId, pid } }) =>
      (options.agent === undefined || agent === options.agent) &&
      (proposal === undefined || proposalId === proposal || isOnCardOf(pid, proposal)),
  );
  const undeclared = options.agent === undefined || waiting.length ? '' : await undeclaredAgents([options.agent], io);
  if (proposal !== undefined && !waiting.length) {
    // The row that cannot be read may be the one.
    if (unreadable.length) return;
    throw new CliError(plain(`nothing waits for people that is named ${proposal}${undeclared && `.${undeclared}`}`));
  }
  if (proposal !== undefined && !options.json) {
    const { readWaiting, textOfWaiting } = await import('../support/print-approval.ts');
    const texts = waiting.map(async ({ approval: { pid } }) =>
      textOfWaiting(await readWaiting(pid, proposal, stateTable), io),
    );
    return io.out((await Promise.all(texts)).join('\n'));
  }
  const [{ namesNear, proposalsOf }, { nextOf }] = await Promise.all([
    import('../support/call-names.ts'),
    import('../../adapters/slack/cards/card-deadline.ts'),
  ]);
  const pids = waiting.map(({ approval: { pid } }) => pid);
  const [names, proposals] = await Promise.all([namesNear(io), proposalsOf(pids, stateTable)]);
  const rows = waiting.map(({ approval, cardProblem }) => ({
    proposalId: approval.proposalId,
    agent: approval.agent,
    call: nameOfApproval(approval, proposals.get(approval.pid), names.tools),
    severity: approval.question.severity,
    tools: [...new Set(callsOf(approval.question).map(({ toolName }) => toolName))],
    asks: approval.question.stages.map(({ group }) => group),
    votes: approval.votes.length,
    round: approval.round,
    requestedAt: approval.requestedAt,
    expiresAt: approval.expiresAt,
    stageEndsAt: new Date(nextDeadline(approval).at).toISOString(),
    pid: approval.pid,
    ...(cardProblem ? { card: cardProblem } : {}),
  }));
  if (options.json) {
    for (const row of rows) io.out(jsonLine(row));
    return warnOf(undeclared, io);
  }
  if (!rows.length) return unreadable.length ? undefined : io.out(`${plain(`Nothing waits.${undeclared}`)}\n`);
  // Only where people do not see a card is there anything to say of it.
  const withCards = rows.some(({ card }) => card !== undefined);
  const withRounds = rows.some(({ round }) => round > 1);
  const cells = rows.map(({ proposalId, agent, call, severity, round, card }, index) => {
    const approval = waiting[index]?.approval;
    return [
      proposalId,
      agent,
      call,
      severity,
      ...(approval
        ? [
            askedOf(approval),
            votesOf(approval, names),
            leftOf(nextOf({ approval, proposal: proposals.get(approval.pid) }), now),
          ]
        : []),
      ...(withRounds ? [String(round)] : []),
      ...(withCards ? [card ?? ''] : []),
    ];
  });
  const headings = ['PROPOSAL', 'AGENT', 'CALL', 'SEVERITY', 'ASKED', 'VOTES', 'LEFT'];
  headings.push(...(withRounds ? ['ROUND'] : []), ...(withCards ? ['CARD'] : []));
  io.out(table(headings, cells, io.columns, (text, _, row) => (row < 0 ? bold(text, io) : text)));
}

/** The groups that may answer now, and which stage of how many it is. */
function askedOf(approval: Approval): string {
  const { group, escalateTo } = currentStage(approval);
  const { stages } = approval.question;
  const asked = approval.escalated && escalateTo ? `${group} and ${escalateTo.group}` : group;
  return stages.length > 1 ? `${asked} (stage ${(approval.stage ?? 0) + 1} of ${stages.length})` : asked;
}

/** How many of how many have voted for it in the stage, who, and who against it. */
function votesOf(approval: Approval, names: Names): string {
  const against = rejectionsSoFar(approval);
  const cast = approval.votes.filter((vote) => vote.stage === (approval.stage ?? 0) && !against.includes(vote));
  const who = (votes: typeof cast) => [...new Set(votes.map(({ by }) => names.person(by.user)))].join(', ');
  const [yes, no] = [who(cast), who(against)];
  return `${cast.length} of ${currentStage(approval).quorum}${yes ? `: ${yes}` : ''}${no ? `; against: ${no}` : ''}`;
}

/** Until the stage ends, and what happens then if it is not the end. */
function leftOf({ at, next }: NextDeadline, now: number): string {
  if (at <= now) return 'over';
  const then = next.kind === 'escalates' ? `, then ${next.to} too` : next.kind === 'approves' ? ', then it runs' : '';
  return `${duration(at - now)}${then}`;
}
