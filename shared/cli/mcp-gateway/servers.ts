/** Names the MCP servers behind the gateway, how each is reached, and which of their tools may run. */

import { toolChanged } from '../../adapters/targets/mcp.ts';
import { type Connect, type McpDefinition, overHttp } from '../../adapters/targets/mcp-session.ts';
import { definitionOf } from '../../config/readers/guardrails-of.ts';
import { serverOf } from '../../config/readers/tool-origin.ts';
import type { PolicyFile } from '../../config/schema/policy-file.ts';
import { orNearest } from '../../domain/nearest.ts';
import { ownValue } from '../../domain/own.ts';
import { authError, type GuardrailError } from '../../guardrails/errors.ts';
import { CliError, EXIT } from '../support/io.ts';

/** A server of the policy file. */
export interface GatewayServer {
  readonly name: string;
  readonly connect: Connect;
}

export interface ServerChoice {
  /** Names of servers; none: all of the policy file. */
  readonly names: readonly string[];
  /** `server=VARIABLE`: the environment variable that holds the server's bearer token. */
  readonly tokenEnv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** @throws CliError that names the server or the variable */
export function serversOf(
  { mcpServers }: Pick<PolicyFile, 'mcpServers'>,
  { names, tokenEnv, env }: ServerChoice,
): GatewayServer[] {
  const known = Object.keys(mcpServers);
  if (!known.length) throw new CliError('the policy file declares no server under mcpServers', EXIT.usage);
  const require = (name: string) => {
    if (known.includes(name)) return;
    const problem = `the policy file declares no MCP server ${name}; it declares ${known.join(', ')}`;
    throw new CliError(`${problem}${orNearest(name, known)}`, EXIT.usage);
  };
  const tokens = new Map(tokenEnv.map((pair) => tokenOf(pair, env)));
  for (const name of [...names, ...tokens.keys()]) require(name);
  const chosen = names.length ? [...new Set(names)] : known;
  for (const name of tokens.keys())
    if (!chosen.includes(name))
      throw new CliError(`--token-env ${name}: that server is not among those that were named`, EXIT.usage);
  return chosen.map((name) => {
    const { url = '', secret } = ownValue(mcpServers, name) ?? {};
    const token = tokens.get(name);
    if (secret !== undefined && token === undefined)
      throw new CliError(
        `mcpServers.${name}: the gate alone reads its secret: give its token here, with --token-env ${name}=VARIABLE`,
        EXIT.usage,
      );
    return { name, connect: overHttp(url, `mcp::${name}`, token === undefined ? undefined : async () => token) };
  });
}

function tokenOf(pair: string, env: ServerChoice['env']): readonly [string, string] {
  const [, server, variable] = /^([^=]+)=(\w+)$/.exec(pair) ?? [];
  if (server === undefined || variable === undefined)
    throw new CliError(`--token-env ${pair}: write server=VARIABLE`, EXIT.usage);
  const token = ownValue(env, variable);
  if (token) return [server, token];
  throw new CliError(`--token-env ${pair}: the environment variable ${variable} is not set`, EXIT.usage);
}

/** The reason why a tool may not run; undefined for one whose definition is that of the policy file (R3-090). */
export function definitionProblem(
  settings: Pick<PolicyFile, 'tools'>,
  tool: string,
  { name, digest }: McpDefinition,
): GuardrailError | undefined {
  const listed = definitionOf(settings, tool);
  if (listed === digest) return undefined;
  if (listed !== undefined) return toolChanged();
  const hint = `"countersign mcp ${serverOf(tool)} ${name}" prints the line that lists it`;
  return authError('ToolNotListed', `${tool} is not listed in the policy file, so it does not run; ${hint}.`);
}
