/** `countersign decide`: one vote of an operator, where Slack cannot be used (A5). */
import type { Command } from 'commander';
import { CliError, EXIT, type Io } from '../io.ts';
import { type SendOptions, send } from '../send-operation.ts';

interface DecideOptions extends SendOptions {
  readonly agent: string;
  readonly proposal: string;
  readonly approve?: boolean;
  readonly reject?: boolean;
  readonly reason: string;
}

export function addDecide(program: Command, io: Io): void {
  program
    .command('decide')
    .summary('break-glass: vote on what waits, without Slack')
    .description(
      "Votes as the operator's person, under the same rules as a click: never for an agent of their own, never twice, " +
        'never against a deny. Goes through the operators queue; everybody who approves is told.',
    )
    .requiredOption('--agent <name>', 'whose proposal')
    .requiredOption('--proposal <id>', "the proposal's id, as `countersign pending` shows it")
    .option('--approve', 'let it run')
    .option('--reject', 'refuse it')
    .requiredOption('--reason <text>', 'why; it is in the record and in the announcement')
    .option('--operators-queue-url <url>', 'default: COUNTERSIGN_OPERATORS_QUEUE_URL')
    .option('--json', 'print the operation that was sent')
    .action(async (options: DecideOptions) => {
      const { agent, proposal: proposalId, approve, reject, reason } = options;
      if (Boolean(approve) === Boolean(reject)) throw new CliError('give one of --approve and --reject', EXIT.usage);
      const choice = approve ? 'approve' : 'reject';
      await send(
        { kind: 'decide', agent, proposalId, choice, reason },
        `${choice} ${proposalId} of ${agent}`,
        options,
        io,
      );
    });
}
