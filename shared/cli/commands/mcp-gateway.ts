/** `countersign mcp-gateway`: one MCP server in front of others, whose calls go through the gate. */
import type { Command } from 'commander';
import {
  type GatewayOptions,
  gatewaysOf,
  type OpenGateway,
  refuseAlone,
  withGatewayOptions,
} from '../mcp-gateway/options.ts';
import type { ServerOptions } from '../serve/run-server.ts';
import { EXIT, type Io } from '../support/io.ts';
import { SERVER_DEFAULTS } from '../support/server-defaults.ts';
import { onStop } from '../support/stop-signal.ts';

interface Options extends GatewayOptions, ServerOptions {
  readonly http?: boolean;
}

/** So long withdrawals may take before the process ends. */
const GRACE_MS = 10_000;

export function addMcpGateway(program: Command, io: Io): void {
  const command = program
    .command('mcp-gateway')
    .summary('serve the MCP servers of the policy file behind the gate, as one server')
    .description(
      "Speaks MCP on standard input and output, with the settings of an agent (the stack's output AgentEnvironment) and its credentials. The tools are those of the servers under mcpServers, as <server>__<tool>; each call is proposed as mcp__<server>__<tool> and runs at its server under the permit. Only tools whose definition the policy file lists are shown and run. A call that people are still asked about after --hold is answered so, and the same call again meets the waiting approval. A client that goes withdraws its calls.",
    )
    .argument('[servers...]', 'names of servers under mcpServers (default: all)');
  withGatewayOptions(command)
    .option('--http', 'listen on 127.0.0.1 instead, at /mcp; requests carry the token of the token file')
    .option('--port <port>', 'of --http; 0 takes any that is free', SERVER_DEFAULTS.port)
    .option('--token-file <file>', 'of --http; made with mode 0600 if there is none', SERVER_DEFAULTS.tokenFile)
    .action(async (servers: string[], { http, port, tokenFile, ...options }: Options) => {
      if (!http) refuseAlone(command, { port: '--port', tokenFile: '--token-file' }, '--http');
      const open = await gatewaysOf(servers, options, io);
      if (http) await overHttp({ port, tokenFile }, open, io);
      else await overStdio(open, io);
    });
}

async function overStdio(open: OpenGateway, io: Io): Promise<void> {
  const [{ gatewayServer }, { serveStdio }, { CountersignClient: Client }, { settingsOf }, { reportTo }] =
    await Promise.all([
      import('../mcp-gateway/mcp-server.ts'),
      import('../mcp-gateway/stdio.ts'),
      import('../../client/client.ts'),
      import('../../client/calls/options.ts'),
      import('../serve/run-server.ts'),
    ]);
  const client = new Client(settingsOf(io.env));
  const gateway = open(client, reportTo(io));
  const stopping = onStop(EXIT.failed, GRACE_MS);
  await serveStdio(gatewayServer(gateway), io.stdin(), io.out, stopping.signal);
  await gateway.close();
  stopping.end();
  await client[Symbol.asyncDispose]();
}

async function overHttp(address: ServerOptions, open: OpenGateway, io: Io): Promise<void> {
  const [{ mcpHandler }, { runServer }, { withToken }] = await Promise.all([
    import('../mcp-gateway/http.ts'),
    import('../serve/run-server.ts'),
    import('../serve/routes.ts'),
  ]);
  await runServer(
    address,
    (token, client, report) => {
      const { methods, close } = mcpHandler(() => open(client, report));
      const methodsOf = (path: string) => (path === '/mcp' ? methods : undefined);
      return { respond: withToken(token, methodsOf, 'this server answers at /mcp alone'), close };
    },
    io,
  );
}
