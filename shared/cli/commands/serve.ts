/** `countersign serve`: a door on loopback through which programs of any language reach the gate. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { onStop } from '../support/stop-signal.ts';
import { jsonLine, plain } from '../support/terminal.ts';

interface Options {
  readonly port: string;
  readonly tokenFile: string;
  readonly openapi?: boolean;
}

const DEFAULT_PORT = 7411;
const TOKEN_FILE = join('.countersign', 'serve-token');
/** Beyond the time that the door itself takes to close. */
const GRACE_MS = 10_000;

export function addServe(program: Command, io: Io): void {
  program
    .command('serve')
    .summary('a door on loopback for programs of any language, and for HTTP hooks')
    .description(
      'Listens on 127.0.0.1, with the settings of an agent (AgentEnvironment) and its credentials. POST /v1/calls proposes a call, GET /v1/calls/{id}?wait=25 waits for its decision, POST /hooks/claude and /hooks/codex answer hooks. Requests carry the token of the token file. SIGTERM ends every wait with an answer.',
    )
    .option('--port <port>', 'the port; 0 takes any that is free', String(DEFAULT_PORT))
    .option('--token-file <file>', 'made with mode 0600 if there is none', `~/${TOKEN_FILE}`)
    .option('--openapi', 'print the OpenAPI document, and serve nothing')
    .action(async ({ port, tokenFile, openapi }: Options) => {
      if (openapi) {
        const { openApiDocument } = await import('../serve/openapi.ts');
        io.out(jsonLine(openApiDocument()));
        return;
      }
      await serve(portOf(port), tokenFile.replace(/^~(?=\/)/, homedir()), io);
    });
}

async function serve(port: number, tokenFile: string, io: Io): Promise<void> {
  const [{ openDoor }, { tokenOf }, { CountersignClient }, { settingsOf }] = await Promise.all([
    import('../serve/door.ts'),
    import('../serve/token-file.ts'),
    import('../../client/client.ts'),
    import('../../client/options.ts'),
  ]);
  const file = resolve(io.cwd, tokenFile);
  const token = tokenOf(file);
  const client = new CountersignClient(settingsOf(io.env));
  const report = (error: unknown) =>
    io.err(`countersign: ${plain(error instanceof Error ? error.message : String(error))}\n`);
  const door = await openDoor({ client, token, port, report }).catch((error: NodeJS.ErrnoException) => {
    const taken = error.code === 'EADDRINUSE' ? 'is taken: give another --port' : `cannot be opened (${error.code})`;
    throw new CliError(`port ${port} ${taken}`);
  });
  const stopping = onStop(EXIT.failed, GRACE_MS);
  io.out(`${door.url}\ntoken: ${plain(file)}\n`);
  await new Promise((stopped) => stopping.signal.addEventListener('abort', stopped, { once: true }));
  await door.close();
  stopping.end();
  await client[Symbol.asyncDispose]();
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CliError(`--port ${text} is no port`, EXIT.usage);
}
