/** `countersign serve`: an HTTP server on loopback by which programs of any language reach the gate. */
import type { Command } from 'commander';
import {
  GATEWAY_FLAGS,
  type GatewayOptions,
  gatewaysOf,
  refuseAlone,
  withGatewayOptions,
} from '../mcp-gateway/options.ts';
import type { ServerOptions } from '../serve/run-server.ts';
import type { Io } from '../support/io.ts';
import { SERVER_DEFAULTS } from '../support/server-defaults.ts';
import { jsonLine } from '../support/terminal.ts';

interface Options extends ServerOptions, GatewayOptions {
  readonly mcp?: boolean;
  readonly openapi?: boolean;
}

export function addServe(program: Command, io: Io): void {
  const command = program
    .command('serve')
    .summary('serve HTTP on loopback, for programs of any language and for HTTP hooks')
    .description(
      "Listens on 127.0.0.1, with the settings of an agent (the stack's output AgentEnvironment) and its credentials. POST /v1/calls proposes a call, GET /v1/calls/{id}?wait=25 waits for its decision, POST /hooks/claude and /hooks/codex answer hooks; with --mcp, /mcp is the gateway of mcp-gateway. Requests carry the token of the token file. SIGTERM ends every wait with an answer.",
    )
    .option('--port <port>', 'the port; 0 takes any that is free', SERVER_DEFAULTS.port)
    .option('--token-file <file>', 'made with mode 0600 if there is none', SERVER_DEFAULTS.tokenFile)
    .option('--openapi', 'print the OpenAPI document, and serve nothing')
    .option('--mcp', 'put the MCP servers of the policy file behind the gate as well, at /mcp');
  withGatewayOptions(command, 'of --mcp: ').action(async ({ openapi, mcp, port, tokenFile, ...options }: Options) => {
    if (openapi) {
      const { openApiDocument } = await import('../serve/openapi.ts');
      io.out(jsonLine(openApiDocument()));
      return;
    }
    if (!mcp) refuseAlone(command, GATEWAY_FLAGS, '--mcp');
    const open = mcp ? await gatewaysOf([], options, io) : undefined;
    const [{ runServer }, { routesOf }, { mcpHandler }] = await Promise.all([
      import('../serve/run-server.ts'),
      import('../serve/routes.ts'),
      open ? import('../mcp-gateway/http.ts') : { mcpHandler: undefined },
    ]);
    await runServer(
      { port, tokenFile },
      (token, client, report) => {
        const gateway = open && mcpHandler?.(() => open(client, report));
        const close = async () => gateway?.close();
        return { respond: routesOf(client, token, gateway?.methods), close };
      },
      io,
    );
  });
}
