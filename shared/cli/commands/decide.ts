/** `countersign decide`: one vote of an operator, where Slack cannot be used (A5). */
import { type Command, Option } from 'commander';
import { CliError, EXIT, type Io } from '../io.ts';
import { type SendOptions, send } from '../send-operation.ts';

interface DecideOptions extends SendOptions {
  readonly agent: string;
  readonly proposal: string;
  readonly approve?: boolean;
  readonly reject?: boolean;
  readonly reason: string;
  readonly remember?: string;
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
    .addOption(
      new Option('--remember <scope>', 'let an approval answer the same call later, or every call of the tool').choices(
        ['session', 'session-all-tools'],
      ),
    )
    .requiredOption('--reason <text>', 'why; it is in the record and in the announcement')
    .option('--operators-queue-url <url>', 'default: COUNTERSIGN_OPERATORS_QUEUE_URL')
    .option('--json', 'print the operation that was sent')
    .action(async (options: DecideOptions) => {
      const { agent, proposal: proposalId, approve, reject, reason, remember } = options;
      if (Boolean(approve) === Boolean(reject)) throw new CliError('give one of --approve and --reject', EXIT.usage);
      if (reject && remember)
        throw new CliError('--remember goes with --approve: a refusal is not remembered for a session', EXIT.usage);
      const choice = approve ? 'approve' : 'reject';
      await send(
        { kind: 'decide', agent, proposalId, choice, reason, ...(remember ? { remember } : {}) },
        `${choice} ${proposalId} of ${agent}${remember ? `, for the ${remember}` : ''}`,
        options,
        io,
      );
    });
}
