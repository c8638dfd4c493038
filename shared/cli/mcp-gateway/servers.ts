/** Names the MCP servers behind the gateway, how each is reached, and which of their tools may run. */
import { resolve } from 'node:path';
import { toolChanged } from '../../adapters/targets/mcp.ts';
import { overHttp } from '../../adapters/targets/mcp-http.ts';
import { overProgram } from '../../adapters/targets/mcp-program.ts';
import type { McpDefinition, McpLink } from '../../adapters/targets/mcp-session.ts';
import { missingVariable, resolvedReferences } from '../../config/readers/env-references.ts';
import { definitionOf } from '../../config/readers/guardrails-of.ts';
import { serverOf } from '../../config/readers/tool-origin.ts';
import type { PolicyFile } from '../../config/schema/policy-file.ts';
import type { McpServerEntry } from '../../config/schema/targets.ts';
import { ownValue } from '../../domain/own.ts';
import { orNearest } from '../../domain/text/nearest.ts';
import { authError, type GuardrailError } from '../../guardrails/settings/errors.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { plain } from '../support/terminal.ts';

interface ServerChoice {
  /** Names of servers; none: all of the policy file. */
  readonly names: readonly string[];
  /** `server=VARIABLE`: the environment variable that holds the server's bearer token. */
  readonly tokenEnv: readonly string[];
  readonly io: Pick<Io, 'env' | 'cwd' | 'now' | 'err'>;
}

/** @throws CliError that names the server or the variable */
export function serversOf(
  { mcpServers }: Pick<PolicyFile, 'mcpServers'>,
  { names, tokenEnv, io }: ServerChoice,
): McpLink[] {
  const known = Object.keys(mcpServers);
  if (!known.length) throw new CliError('the policy file declares no server under mcpServers', EXIT.usage);
  const require = (name: string) => {
    if (known.includes(name)) return;
    const problem = `the policy file declares no MCP server ${name}; it declares ${known.join(', ')}`;
    throw new CliError(`${problem}${orNearest(name, known)}`, EXIT.usage);
  };
  const tokens = new Map(tokenEnv.map((pair) => tokenOf(pair, io.env)));
  for (const name of [...names, ...tokens.keys()]) require(name);
  const chosen = names.length ? [...new Set(names)] : known;
  for (const name of tokens.keys())
    if (!chosen.includes(name))
      throw new CliError(`--token-env ${name}: that server is not among those that were named`, EXIT.usage);
  return chosen.flatMap((name) => {
    const entry = ownValue(mcpServers, name);
    const token = tokens.get(name);
    if (entry && 'url' in entry && entry.secret !== undefined && token === undefined)
      throw new CliError(
        `mcpServers.${name}: the gate alone reads its secret: give its token here, with --token-env ${name}=VARIABLE`,
        EXIT.usage,
      );
    return entry ? linkOf(name, entry, token, io) : [];
  });
}

/** @throws CliError for a token that nobody would get, and a variable that is not set */
export function linkOf(
  name: string,
  entry: McpServerEntry,
  token: string | undefined,
  io: ServerChoice['io'],
): McpLink {
  if ('url' in entry) return overHttp(name, entry.url, token === undefined ? undefined : async () => token);
  if (token !== undefined)
    throw new CliError(
      `mcpServers.${name} is a program: it gets its token by its env, and not by --token-env`,
      EXIT.usage,
    );
  const { command, args, env, cwd = '.' } = entry;
  const setTo = (variable: string) => ownValue(io.env, variable);
  for (const [key, value] of Object.entries(env)) {
    const missing = missingVariable(value, setTo);
    if (missing !== undefined)
      throw new CliError(`mcpServers.${name}.env.${key}: the environment variable ${missing} is not set`, EXIT.usage);
  }
  const resolved = Object.entries(env).map(([key, value]) => [key, resolvedReferences(value, setTo)]);
  const program = { command, args, env: Object.fromEntries(resolved), cwd: resolve(io.cwd, cwd) };
  return overProgram(name, program, { now: io.now, told: (line) => io.err(`${name}: ${plain(line)}\n`) });
}

function tokenOf(pair: string, env: Io['env']): readonly [string, string] {
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
  if (listed !== undefined) return toolChanged(serverOf(tool) ?? '', name);
  const hint = `"countersign mcp ${serverOf(tool)} ${name}" prints the line that lists it`;
  return authError('ToolNotListed', `${tool} is not listed in the policy file, so it does not run; ${hint}.`);
}
