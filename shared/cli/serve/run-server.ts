/** Runs a server on loopback for a command, until the process is stopped. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { settingsOf } from '../../client/calls/options.ts';
import { CountersignClient } from '../../client/client.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { portOf } from '../support/port.ts';
import { onStop } from '../support/stop-signal.ts';
import { plain } from '../support/terminal.ts';
import { openServer } from './loopback-server.ts';
import type { Respond } from './routes.ts';
import { tokenOf } from './token-file.ts';

/** The port and token file of a server, as options of a command. */
export interface ServerOptions {
  readonly port: string;
  readonly tokenFile: string;
}

/** The answers of a server. */
interface Answers {
  readonly respond: Respond;
  /** Resolves once nothing is under way any more. */
  close?(): Promise<void>;
}

/** Beyond the time that the server itself takes to close. */
const GRACE_MS = 10_000;

/** @throws CliError for a port that is taken, and a token file that guards nothing */
export async function runServer(
  { port: given, tokenFile }: ServerOptions,
  answersOf: (token: string, client: CountersignClient, report: (error: unknown) => void) => Answers,
  io: Io,
): Promise<void> {
  const port = portOf(given);
  const file = resolve(io.cwd, tokenFile.replace(/^~(?=\/)/, homedir()));
  const token = tokenOf(file);
  const client = new CountersignClient(settingsOf(io.env));
  const report = reportTo(io);
  const { respond, close } = answersOf(token, client, report);
  const server = await openServer({ respond, port, report }).catch((error: NodeJS.ErrnoException) => {
    const taken = error.code === 'EADDRINUSE' ? 'is taken: give another --port' : `cannot be opened (${error.code})`;
    throw new CliError(`port ${port} ${taken}`);
  });
  const stopping = onStop(EXIT.failed, GRACE_MS);
  io.out(`${server.url}\ntoken: ${plain(file)}\n`);
  await new Promise((stopped) => stopping.signal.addEventListener('abort', stopped, { once: true }));
  await server.close();
  await close?.();
  stopping.end();
  await client[Symbol.asyncDispose]();
}

/** Characters of a cause: it may be the words of a server. */
const MAX_CAUSE = 2_000;

/** Tells the terminal of errors whose words are not for programs. */
export const reportTo = (io: Pick<Io, 'err'>) => (error: unknown) => {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  const words = cause instanceof Error ? cause.message.slice(0, MAX_CAUSE).toWellFormed() : '';
  const why = message.includes(words) ? '' : ` (${words})`;
  io.err(`countersign: ${plain(`${message}${why}`)}\n`);
};
