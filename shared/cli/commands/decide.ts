/** `countersign decide`: one vote of an operator, where Slack cannot be used. */
import { type Command, Option } from 'commander';
import { readIJson } from '../../domain/raw-json.ts';
import type { SendOptions } from '../operations/operation-options.ts';
import { send, sending } from '../operations/send-operation.ts';
import { confirm } from '../support/confirm.ts';
import { CliError, EXIT, type Io, readText } from '../support/io.ts';
import { jsonProblem } from '../support/json-problem.ts';
import { setting } from '../support/settings.ts';
import { plain } from '../support/terminal.ts';

interface DecideOptions extends SendOptions {
  readonly agent: string;
  readonly proposal: string;
  readonly approve?: boolean;
  readonly reject?: boolean;
  readonly input?: string;
  readonly substitute?: string;
  readonly answer?: string;
  readonly call?: readonly string[];
  readonly round?: string;
  readonly reason: string;
  readonly remember?: string;
  readonly yes?: boolean;
  readonly deployment?: string;
  readonly stateTable?: string;
}

export function addDecide(program: Command, io: Io): void {
  const decide = program
    .command('decide')
    .summary('vote on a waiting approval without Slack: break-glass')
    .description(
      "Votes as the operator's person, under the same rules as a click: never for an agent of their own, never twice, " +
        'never against a deny or a protected path. Goes through the operators queue; everybody who approves is told. ' +
        'On a terminal it shows first what would run, and asks.',
    )
    .requiredOption('--agent <name>', 'whose proposal')
    .requiredOption('--proposal <id>', "the proposal's id, as `countersign pending` shows it")
    .option('--approve', 'let it run')
    .option('--reject', 'refuse it')
    .option('--input <json or file>', 'run the call with these arguments instead; all rules are asked again')
    .option('--substitute <flow>', 'run this action of the action space instead')
    .option('--answer <text>', 'answer the question of an agent; to a call: it is not run, and the agent is told this')
    .option('--call <id...>', 'with --approve or --reject: only these calls of a batch')
    .addOption(
      new Option('--remember <scope>', 'let an approval answer the same call later, or every call of the tool').choices(
        ['session', 'session-all-tools'],
      ),
    )
    .option('--round <number>', 'which question is meant, once it was edited: see ROUND of `countersign pending`')
    .requiredOption('--reason <text>', 'why; it is in the record and in the announcement')
    .option('--yes', 'on a terminal: send it unseen, and ask nothing')
    .option('--deployment <name>', 'default: COUNTERSIGN_DEPLOYMENT; to show what would run')
    .option('--state-table <name>', 'default: COUNTERSIGN_STATE_TABLE; to show what would run');
  sending(decide).action(async (options: DecideOptions) => {
    const { agent, proposal: proposalId, reason } = options;
    const ballot = choiceIn(options, io);
    const what = `${ballot.choice} ${proposalId} of ${agent}${options.remember ? `, for the ${options.remember}` : ''}`;
    const named = options.round === undefined ? undefined : roundOf(options.round);
    const asks = io.stdin().isTTY && !options.yes && !options.json;
    const shown = asks ? await confirmed(ballot, what, named, options, io) : named;
    const round = shown === undefined ? {} : { round: shown };
    const isSeen = asks || Boolean(options.yes);
    await send({ kind: 'decide', agent, proposalId, reason, ...round, ...ballot }, what, { ...options, isSeen }, io);
  });
}

/** The round that was shown and agreed to: after an edit another question is asked, and this is no answer to it. */
async function confirmed(
  ballot: Readonly<Record<string, unknown>>,
  what: string,
  named: number | undefined,
  options: DecideOptions,
  io: Io,
): Promise<number> {
  const { agent, proposal } = options;
  const [{ readWaiting, textOfFlow, textOfWaiting }, { pidOf }, { visibleJson }] = await Promise.all([
    import('../support/print-approval.ts'),
    import('../../domain/digest.ts'),
    import('../../adapters/slack/elements/text.ts'),
  ]);
  const stateTable = setting('COUNTERSIGN_STATE_TABLE', options.stateTable, io);
  const pid = pidOf(setting('COUNTERSIGN_DEPLOYMENT', options.deployment, io), agent, proposal);
  const view = await readWaiting(pid, `${proposal} of ${agent}`, stateTable);
  const { round } = view.approval;
  if (named !== undefined && named !== round)
    throw new CliError(`round ${round} is asked now, not ${named}: look at it again`, EXIT.usage);
  io.out(await textOfWaiting(view, io));
  if (ballot['input'] !== undefined) io.out(`\ninstead would run:\n${visibleJson(ballot['input'])}\n`);
  if (options.substitute !== undefined) io.out(`\ninstead would run:\n${await textOfFlow(view, options.substitute)}`);
  await confirm(`\nSend "${plain(what)}", about round ${round}?`, io);
  return round;
}

function roundOf(text: string): number {
  const round = Number(text);
  if (!Number.isInteger(round) || round < 1 || round > 100)
    throw new CliError('--round takes a number from 1 to 100', EXIT.usage);
  return round;
}

/** The one answer of the options, with its fields. */
function choiceIn(options: DecideOptions, io: Io): Readonly<Record<string, unknown>> & { readonly choice: string } {
  const { approve, reject, input, substitute, answer, call, remember } = options;
  const choices = [
    ...(approve ? [{ choice: 'approve', ...(call ? { calls: call } : {}), ...(remember ? { remember } : {}) }] : []),
    ...(reject ? [{ choice: 'reject', ...(call ? { calls: call } : {}) }] : []),
    ...(input === undefined ? [] : [{ choice: 'edit', input: readInput(input, io) }]),
    ...(substitute === undefined ? [] : [{ choice: 'substitute', flow: substitute }]),
    ...(answer === undefined ? [] : [{ choice: 'respond', answer }]),
  ];
  const [chosen, ...others] = choices;
  if (!chosen || others.length)
    throw new CliError('give one of --approve, --reject, --input, --substitute and --answer', EXIT.usage);
  if (remember && !approve)
    throw new CliError('--remember goes with --approve: nothing else is remembered for a session', EXIT.usage);
  if (call && !approve && !reject) throw new CliError('--call goes with --approve or --reject', EXIT.usage);
  return chosen;
}

/** JSON itself, or the name of a file that holds it. */
function readInput(text: string, io: Io): unknown {
  const json = text.trimStart().startsWith('{')
    ? text
    : readText(text, 'file', 'give the arguments as JSON, or a file', io);
  const read = readIJson(json);
  if (!read.ok) throw new CliError(`--input: ${jsonProblem(json, read.fault, 'it')}`, EXIT.usage);
  return read.value;
}
