/** Declares the options about the servers behind the MCP gateway, and makes gateways by them. */
import type { Command } from 'commander';
import type { CountersignClient } from '../../client/client.ts';
import type { Duration } from '../../domain/duration.ts';
import { waitMs } from '../../ports/timers.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { openPolicy } from '../support/settings.ts';
import type { Gateway } from './gateway.ts';

export interface GatewayOptions {
  readonly policy?: string;
  readonly tokenEnv?: readonly string[];
  readonly hold: string;
}

/** Most clients give up after a minute. */
const DEFAULT_HOLD = '45s';

/** @param of names the option that the others belong to, as `of --mcp: ` */
export function withGatewayOptions(command: Command, of = ''): Command {
  return command
    .option('--policy <file>', `${of}the policy file (default: COUNTERSIGN_POLICY, else countersign.yaml)`)
    .option(
      '--token-env <server=name>',
      `${of}the environment variable with the bearer token of a server; once for each`,
      (pair: string, before: readonly string[] = []) => [...before, pair],
    )
    .option('--hold <time>', `${of}how long one request waits for people, below the limit of clients`, DEFAULT_HOLD);
}

/** @throws CliError for an option that was given without the one that it belongs to: it would do nothing */
export function refuseAlone(command: Command, options: Readonly<Record<string, string>>, owner: string): void {
  for (const [name, flag] of Object.entries(options))
    if (command.getOptionValueSource(name) === 'cli') throw new CliError(`${flag}: only with ${owner}`, EXIT.usage);
}

/** The options of \`withGatewayOptions\`, by their names in the program. */
export const GATEWAY_FLAGS = { policy: '--policy', tokenEnv: '--token-env', hold: '--hold' } as const;

/** Makes the gateway of each client. */
export type OpenGateway = (client: Pick<CountersignClient, 'guard'>, report: (error: unknown) => void) => Gateway;

/**
 * @param names of servers; none: all of the policy file
 * @throws CliError that names the option, the server or the line of the policy file
 */
export async function gatewaysOf(
  names: readonly string[],
  { policy: file, tokenEnv = [], hold }: GatewayOptions,
  io: Io,
): Promise<OpenGateway> {
  const heldMs = waitMs(hold as Duration, '--hold');
  const { settings } = await openPolicy(file, io);
  const [{ Gateway: Made }, { serversOf }] = await Promise.all([import('./gateway.ts'), import('./servers.ts')]);
  const links = serversOf(settings, { names, tokenEnv, io });
  return (client, report) => new Made({ client, links, settings, hold: heldMs, report });
}
