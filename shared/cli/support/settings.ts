/**
 * Reads the settings of a command: its options, else the environment, else an error.
 *
 * The error says where to get them.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Policy } from '../../config/compile.ts';
import { noSuchAgent } from '../../config/readers/no-such-agent.ts';
import { STACK_SETTINGS, type StackSetting } from '../../domain/aws/stack-settings.ts';
import { orNearest } from '../../domain/text/nearest.ts';
import { CliError, EXIT, type Io } from './io.ts';
import { OUTPUTS } from './reason-of.ts';
import { plain } from './terminal.ts';

/** Variable → the option that states the same setting, and the setting. */
const SOURCES = {
  COUNTERSIGN_DEPLOYMENT: ['--deployment', 'deployment'],
  COUNTERSIGN_OPERATORS_QUEUE_URL: ['--operators-queue-url', 'operatorsQueueUrl'],
  COUNTERSIGN_AUDIT_TABLE: ['--audit-table', 'auditTable'],
  COUNTERSIGN_ARCHIVE_BUCKET: ['--archive-bucket', 'archiveBucket'],
  COUNTERSIGN_ARCHIVE_KEY: ['--archive-key', 'archiveKey'],
  COUNTERSIGN_TEXT_BUCKET: ['--text-bucket', 'textBucket'],
  COUNTERSIGN_DIGEST_KEY: ['--digest-key', 'digestKey'],
  COUNTERSIGN_STATE_TABLE: ['--state-table', 'stateTable'],
} as const satisfies Record<string, readonly [string, StackSetting]>;

/** @throws CliError that names the option, the variable and the output. */
export function setting(name: keyof typeof SOURCES, given: string | undefined, io: Io, otherwise = ''): string {
  const value = given ?? io.env[name];
  const [option, stated] = SOURCES[name];
  const isUrl = name.endsWith('_URL');
  if (value && (!isUrl || /^https?:$/.test(URL.parse(value)?.protocol ?? ''))) return value;
  const { output } = STACK_SETTINGS[stated];
  const problem = value ? `is no URL: ${value}` : 'is not set';
  throw new CliError(
    `${name} ${problem}: export it or give ${option}${otherwise ? `, ${otherwise}` : ''}. It is the stack's output ${output} ` +
      `(${OUTPUTS}).`,
    EXIT.usage,
  );
}

export const DEFAULT_POLICY = 'countersign.yaml';

/** Loads and compiles a policy file. @throws CliError with one line per problem, each with file, line and column. */
export async function openPolicy(file: string | undefined, io: Io): Promise<Policy> {
  const name = file ?? io.env['COUNTERSIGN_POLICY'] ?? DEFAULT_POLICY;
  const [{ readDocument }, { compilePolicy }] = await Promise.all([
    import('./policy-file.ts'),
    import('../../config/compile.ts'),
  ]);
  return compilePolicy(readDocument(name, io));
}

/** The policy file that the environment names or that is here; undefined where there is none, or it does not load. */
export async function policyNear(io: Io): Promise<Policy | undefined> {
  const named = io.env['COUNTERSIGN_POLICY'];
  if (named === undefined && !existsSync(resolve(io.cwd, DEFAULT_POLICY))) return undefined;
  return openPolicy(named, io).catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
}

/** The agent that was named, else the environment's, else the only one that the policy file declares. */
export function agentOf(given: string | undefined, agents: readonly string[], io: Io): string {
  const name = given ?? io.env['COUNTERSIGN_AGENT'] ?? (agents.length === 1 ? agents[0] : undefined);
  if (name === undefined) throw new CliError(`name the agent with --agent: ${agents.join(', ')}`, EXIT.usage);
  if (!agents.includes(name)) throw new CliError(noSuchAgent(name, agents), EXIT.usage);
  return name;
}

/** The end of an answer that found nothing: without it a name that is misspelt reads like one of whom there is nothing. */
export async function undeclaredAgents(names: readonly string[], io: Io): Promise<string> {
  const declared = Object.keys((await policyNear(io))?.settings.agents ?? {});
  // Names of the gate's own begin with a dash. An agent that was taken out of the file may still be asked about.
  const others = declared.length ? names.filter((name) => !declared.includes(name) && !name.startsWith('-')) : [];
  return others.map((name) => ` The policy file here declares no agent ${name}${orNearest(name, declared)}`).join('');
}

/** Warns beside JSON, which has no line for what is not there. No warning for an empty text. */
export function warnOf(text: string, io: Io): void {
  if (text) io.err(`countersign: warning: ${plain(text.trimStart())}\n`);
}

/** Likewise of a person. A Slack id or an alias may be of somebody who was taken out of the file. */
export async function undeclaredPerson(name: string, io: Io): Promise<string> {
  const { people = {}, operators = {} } = (await policyNear(io))?.settings ?? {};
  const declared = [...Object.keys(people), ...Object.keys(operators)];
  const isId = /^(?:[UW][A-Z0-9]+|p_[a-z2-7]+)$/.test(name);
  if (!declared.length || isId || declared.includes(name)) return '';
  return ` The policy file here declares no person or operator ${name}${orNearest(name, declared)}`;
}

/** The agent that was named; where none is, all of the policy file that is here. @throws CliError where there is none of both */
export async function agentsMeant(given: string | undefined, io: Io): Promise<readonly string[]> {
  const named = given ?? io.env['COUNTERSIGN_AGENT'];
  const declared = named === undefined ? Object.keys((await policyNear(io))?.settings.agents ?? {}) : [named];
  return declared.length ? declared : [await agentNear(undefined, io)];
}

/** For commands that need no policy file: the agent that was named, else the only one of a policy file that is here. */
export async function agentNear(given: string | undefined, io: Io): Promise<string> {
  const named = given ?? io.env['COUNTERSIGN_AGENT'];
  if (named !== undefined) return named;
  if (!existsSync(resolve(io.cwd, DEFAULT_POLICY))) {
    throw new CliError('name the agent with --agent, or export COUNTERSIGN_AGENT', EXIT.usage);
  }
  return agentOf(undefined, Object.keys((await openPolicy(undefined, io)).settings.agents), io);
}
