/**
 * Runs `countersign mcp`: lists an MCP server's tools, each with the digest that pins it.
 *
 * The policy file pins a tool by this digest.
 */
import type { Command } from 'commander';
import type { McpDefinition } from '../../adapters/targets/mcp-session.ts';
import type { Policy } from '../../config/compile.ts';
import { ownValue } from '../../domain/own.ts';
import { orNearest } from '../../domain/text/nearest.ts';
import { bold, CliError, EXIT, type Io } from '../support/io.ts';
import { openPolicy } from '../support/settings.ts';
import { jsonLine, plain, table } from '../support/terminal.ts';

interface Options {
  readonly url?: string;
  readonly tokenEnv?: string;
  readonly policy?: string;
  readonly json?: boolean;
}

/** `new`: the policy file does not list it; `gone`: it lists one that the server does not have. */
type State = 'listed' | 'changed' | 'new' | 'gone';

interface Row {
  readonly tool: string;
  readonly state: State;
  readonly digest: string | undefined;
  readonly definition: McpDefinition | undefined;
}

const CONNECT_TIMEOUT_MS = 15_000;

export function addMcp(program: Command, io: Io, exit: (code: number) => void): void {
  program
    .command('mcp')
    .summary('list the tools of an MCP server, with the digests that pin them')
    .description(
      'Asks an MCP server what tools it has (one with a command is started for that) and compares each with the policy file: listed, changed, new or gone. The gate runs a tool only while its definition is the listed one; a tool that is listed anew is asked about again. Exits 1 if a listed tool changed or is gone.',
    )
    .argument('<server>', 'as under mcpServers of the policy file, and in the names of its tools')
    .argument('[tool]', "one tool's whole definition, and the line that lists it")
    .option('--url <url>', 'where it is, if the policy file does not say')
    .option('--token-env <name>', 'the environment variable that holds its bearer token')
    .option('--policy <file>', 'the policy file (default: COUNTERSIGN_POLICY, else countersign.yaml)')
    .option('--json', 'print a line of JSON for each tool')
    .action(async (server: string, tool: string | undefined, options: Options) => {
      const policy = await openPolicy(options.policy, io);
      const rows = compared(server, await definitionsOf(server, options, policy, io), policy);
      if (tool !== undefined) show(rowOf(rows, server, tool), options, io);
      else if (options.json)
        for (const { definition, ...row } of rows) io.out(jsonLine({ ...row, ...definition?.declared }));
      else list(rows, io);
      exit(rows.some(({ state }) => state === 'changed' || state === 'gone') ? EXIT.failed : EXIT.ok);
    });
}

async function definitionsOf(
  server: string,
  options: Options,
  policy: Policy,
  io: Io,
): Promise<readonly McpDefinition[]> {
  const { mcpServers } = policy.settings;
  const { url, tokenEnv } = options;
  const entry = url === undefined ? ownValue(mcpServers, server) : { url };
  if (entry === undefined) {
    const known = Object.keys(mcpServers);
    const problem = `the policy file declares no MCP server ${server} (it declares ${known.join(', ') || 'none'})`;
    throw new CliError(`${problem}: give --url${orNearest(server, known)}`, EXIT.usage);
  }
  const token = tokenEnv === undefined ? undefined : io.env[tokenEnv];
  if (tokenEnv !== undefined && !token)
    throw new CliError(`the environment variable ${tokenEnv} is not set`, EXIT.usage);
  const [{ mcpDefinitions }, { linkOf }] = await Promise.all([
    import('../../adapters/targets/mcp-session.ts'),
    import('../mcp-gateway/servers.ts'),
  ]);
  const link = linkOf(server, entry, token, io);
  return mcpDefinitions(link, AbortSignal.timeout(CONNECT_TIMEOUT_MS)).catch((error: unknown) => {
    const why = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    throw new CliError(`${server} did not say what tools it has${why}`);
  });
}

function compared(server: string, definitions: readonly McpDefinition[], { settings }: Policy): Row[] {
  const prefix = `mcp__${server}__`;
  const rows = definitions.map((definition): Row => {
    const tool = prefix + definition.name;
    const listed = Object.hasOwn(settings.tools, tool) ? settings.tools[tool]?.definition : undefined;
    const state = listed === undefined ? 'new' : listed === definition.digest ? 'listed' : 'changed';
    return { tool, state, digest: definition.digest, definition };
  });
  const there = new Set(rows.map(({ tool }) => tool));
  const gone = Object.keys(settings.tools).filter((tool) => tool.startsWith(prefix) && !there.has(tool));
  return [...rows, ...gone.map((tool): Row => ({ tool, state: 'gone', digest: undefined, definition: undefined }))];
}

function rowOf(rows: readonly Row[], server: string, name: string): Row & { readonly definition: McpDefinition } {
  const row = rows.find(({ tool }) => tool === name || tool === `mcp__${server}__${name}`);
  const { definition } = row ?? {};
  if (row && definition) return { ...row, definition };
  const known = rows.flatMap(({ definition: one }) => one?.name ?? []);
  throw new CliError(`${server} has no tool ${name}; it has ${known.join(', ') || 'none'}`, EXIT.usage);
}

function list(rows: readonly Row[], io: Io): void {
  const cells = rows.map(({ tool, state, digest = '', definition }) => [
    tool,
    state,
    digest,
    definition?.description ?? '',
  ]);
  io.out(
    table(['TOOL', 'STATE', 'DEFINITION', 'DESCRIPTION'], cells, io.columns, (text, _, row) =>
      row < 0 ? bold(text, io) : text,
    ),
  );
}

/** All that the digest covers: whoever lists a tool has read it. */
function show(
  { tool, state, definition }: Row & { readonly definition: McpDefinition },
  { json }: Options,
  io: Io,
): void {
  if (json) {
    io.out(jsonLine({ tool, state, digest: definition.digest, ...definition.declared }));
    return;
  }
  for (const [name, value] of Object.entries(definition.declared))
    io.out(`${bold(name, io)}  ${plain(typeof value === 'string' ? value : JSON.stringify(value))}\n`);
  io.out(`\n${plain(tool)} is ${state}. To list it as it is now, under tools:\n`);
  io.out(`  ${plain(tool)}: { permissions: [Network], definition: ${definition.digest} }\n`);
}
