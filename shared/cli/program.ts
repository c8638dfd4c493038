/** Puts the `countersign` command together: its sub-commands, how it fails, its exit codes. */
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { SLACK_REQUEST_URL, STACK_SETTINGS } from '../domain/aws/stack-settings.ts';
import { isCountersignError } from '../domain/errors.ts';
import { addAudit } from './commands/audit/audit.ts';
import { addArchive } from './commands/audit/audit-archive.ts';
import { addAuditStats } from './commands/audit/audit-stats.ts';
import { addCheck } from './commands/check.ts';
import { addChoose } from './commands/choose.ts';
import { addDead } from './commands/dead.ts';
import { addDecide } from './commands/decide.ts';
import { addDelegate } from './commands/delegate.ts';
import { addDev } from './commands/dev.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addForget } from './commands/forget.ts';
import { addFrames } from './commands/frames.ts';
import { addGrants } from './commands/grants.ts';
import { addGuardrails } from './commands/guardrails.ts';
import { addHelp } from './commands/help.ts';
import { addHook } from './commands/hook.ts';
import { addInstall } from './commands/install.ts';
import { addMcp } from './commands/mcp.ts';
import { addMcpGateway } from './commands/mcp-gateway.ts';
import { addPause } from './commands/pause.ts';
import { addPending } from './commands/pending.ts';
import { addPolicy } from './commands/policy.ts';
import { addRedrive } from './commands/redrive.ts';
import { addServe } from './commands/serve.ts';
import { addSessions } from './commands/sessions/sessions.ts';
import { addStatus } from './commands/status.ts';
import { addSupport } from './commands/support.ts';
import { addTrace } from './commands/trace.ts';
import { addVoidPermits } from './commands/void-permits.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { CliError, EXIT, type Io } from './support/io.ts';
import { checkOptionValues } from './support/option-values.ts';
import { reasonOf } from './support/reason-of.ts';
import { folded, foldedHelp, plain } from './support/terminal.ts';

/** By the headings of the help. `audit` stands before the commands that add to it. */
const COMMANDS = {
  'Try a policy file:': [addCheck, addExplain, addChoose, addGuardrails, addPolicy, addDev],
  'Connect agents:': [addInstall, addHook, addServe, addMcpGateway, addMcp],
  'Watch the gate:': [addStatus, addDoctor, addTrace, addFrames, addDead, addSupport],
  'Read the record:': [addAudit, addArchive, addAuditStats],
  'Operate the gate:': [
    addPending,
    addDecide,
    addPause,
    addGrants,
    addDelegate,
    addSessions,
    addRedrive,
    addWebhooks,
    addVoidPermits,
    addForget,
  ],
};

/** Runs the command with `argv` (without node and script). Resolves with the exit code; never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.ok;
  const program = new Command('countersign')
    .description('The gate between AI agents and what they can do.')
    .version(manifest.version, '--version', 'print the version')
    .exitOverride()
    // Options behind a sub-command are its own, though the command above has one of the same name.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => io.out(foldedHelp(text, HELP_COLUMNS)),
      writeErr: io.err,
      getOutHelpWidth: () => Math.min(io.columns, HELP_COLUMNS),
      outputError: errorOf('countersign'),
    })
    .showSuggestionAfterError()
    .helpCommand(false)
    .addHelpText('after', HELP);
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, io, (given) => (code = given));
  }
  addHelp(program);
  for (const command of program.commands) inherit(command, `${program.name()} ${command.name()}`);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return fail(error, io);
  }

  function inherit(command: Command, path: string): void {
    command.copyInheritedSettings(program).configureOutput({ outputError: errorOf(path) });
    const sentence = command.summary().replace(/^.*/, (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`);
    if (!command.description()) command.description(sentence);
    checkOptionValues(command);
    for (const inner of command.commands) inherit(inner, `${path} ${inner.name()}`);
  }
}

/** Every terminal has so many. */
const HELP_COLUMNS = 80;

/** The client's among them, which hook, serve and mcp-gateway read. */
const VARIABLES = [...Object.values(STACK_SETTINGS), SLACK_REQUEST_URL].map(({ variable }) => variable);

const HELP = `
Exit codes
  0 done    1 failed    2 wrong option or argument
  check, explain: 0 allow, 3 ask, 4 deny, 5 error    audit verify: 3 changed

Environment
${folded(`  ${VARIABLES.join(', ')}: outputs of the stack`, HELP_COLUMNS)}
  COUNTERSIGN_AGENT, COUNTERSIGN_POLICY: the agent and the policy file
  AWS_REGION, AWS_PROFILE … as for AWS's SDKs    NO_COLOR: no colours`;

/** Commander's own words for what it could not read, as one line like every other; with its own suggestion, or with the command's help. */
function errorOf(command: string): (text: string, write: (text: string) => void) => void {
  return (text, write) => {
    const line = text
      .trim()
      .replace(/^error: /, 'countersign: ')
      .replaceAll('\n', ' ');
    const next = line.includes('(Did you mean ') ? '' : `; see ${command} --help`;
    write(`${plain(`${line.replace(/\.$/, '')}${next}`)}\n`);
  };
}

/** A setting or an option that the client or the record itself reads. */
const isOfUser = (error: unknown): boolean =>
  isCountersignError(error) && ['invalid_setting', 'invalid_cursor'].includes(error.code);

/** One line a problem, and no stack: whoever reads it did not write this program. */
function fail(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const lines = error instanceof CliError ? error.message.split('\n') : [reasonOf(error)];
  for (const line of lines) io.err(`countersign: ${plain(line)}\n`);
  return error instanceof CliError ? error.exitCode : isOfUser(error) ? EXIT.usage : EXIT.failed;
}
