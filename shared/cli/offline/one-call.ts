/** Declares the options of `check` and `explain`, and authorizes the call that they describe. */
import type { Command } from 'commander';
import type { Policy } from '../../config/compile.ts';
import type { Mode } from '../../contract/primitives.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { jsonProblem } from '../support/json-problem.ts';
import { agentOf, openPolicy, warnOf } from '../support/settings.ts';
import type { AuthorizedCall } from './authorize-call.ts';

export interface CallOptions {
  readonly tool?: string;
  readonly input?: string;
  readonly mode?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly policy?: string;
  readonly json?: boolean;
}

export const onCall = (command: Command): Command =>
  command
    .option('--tool <name>', 'the tool, as the agent names it')
    .option('--input <json>', "the tool's arguments, a JSON object")
    .option('--mode <mode>', "the session's mode (default: the agent's in the policy file)")
    .option('--agent <name>', 'who asks (default: COUNTERSIGN_AGENT, else the only agent of the policy file)')
    .option('--cwd <folder>', "where the call would run (default: the agent's project root)")
    .option('--policy <file>', 'the policy file (default: COUNTERSIGN_POLICY, else countersign.yaml)')
    .option('--json', 'print JSON');

/** @throws CliError if the mode is none. */
export async function modeNamed(name: string | undefined): Promise<Mode | undefined> {
  if (name === undefined) return undefined;
  const { MODES, parseMode } = await import('../../permissions/model/modes.ts');
  const mode = parseMode(name);
  if (mode === undefined) {
    const { orNearest } = await import('../../domain/text/nearest.ts');
    const known = `the modes are ${MODES.join(', ')}`;
    throw new CliError(`there is no mode ${name}; ${known}${orNearest(name, MODES)}`, EXIT.usage);
  }
  return mode;
}

/** Judges the call that the options describe. @throws CliError for options that describe none. */
export async function openCall(
  options: CallOptions,
  io: Io,
): Promise<{ authorized: AuthorizedCall; summary: Record<string, unknown> }> {
  const { tool, input } = options;
  if (tool === undefined || input === undefined) {
    throw new CliError(`give --tool and --input, as in --tool Bash --input '{"command":"ls"}'`, EXIT.usage);
  }
  const mode = await modeNamed(options.mode);
  const policy = await openPolicy(options.policy, io);
  await warnOfMisspelt(tool, policy.tools, io);
  const { authorizeOffline, misread, readInput, summaryOf } = await import('./authorize-call.ts');
  const agent = agentOf(options.agent, Object.keys(policy.settings.agents), io);
  const read = readInput(input);
  const about = { toolName: tool, agent, mode: mode ?? policy.settings.agents[agent]?.mode ?? 'default' };
  const fields = { toolName: tool, ...(options.cwd === undefined ? {} : { cwd: options.cwd }) };
  const authorized =
    'value' in read
      ? await authorizeOffline({ agent, mode, fields: { ...fields, input: read.value } }, policy, io.now())
      : misread(about, { ...read, message: jsonProblem(input, read, '--input') });
  return { authorized, summary: summaryOf(authorized) };
}

/** A tool needs no entry to be called: of a misspelt one the answer would be that of a tool which nobody listed. */
async function warnOfMisspelt(tool: string, tools: Policy['tools'], io: Io): Promise<void> {
  if (tools.has(tool)) return;
  const { orNearest } = await import('../../domain/text/nearest.ts');
  const known = tools.list().map(({ name }) => name);
  const nearest = orNearest(tool, known);
  if (nearest) warnOf(`the policy file lists no tool ${tool}${nearest}`, io);
}
