/** Reads the port of a server on loopback from an option. */
import { CliError, EXIT } from './io.ts';
import { plain } from './terminal.ts';

/** 0: any that is free. @throws CliError for anything but a number of a port */
export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CliError(`--port ${plain(text)} is no port: give a number from 0 to 65535`, EXIT.usage);
}
