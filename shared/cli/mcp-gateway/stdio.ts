/** Answers one MCP client over standard input and output, until it goes or the process is stopped. */
import { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { LIMITS } from '../../contract/primitives.ts';

/** A call as large as the gate takes, and the words of MCP around it; several may arrive at once. */
const MAX_BUFFER_BYTES = 8 * LIMITS.messageBytes;

/** Resolves once the input has ended, or the signal aborts. The close of the server aborts the calls under way. */
export async function serveStdio(
  server: Server,
  input: Readable,
  write: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const gone = Promise.withResolvers<void>();
  const bytes = Readable.from(bytesOf(input), { objectMode: false });
  for (const event of ['end', 'close', 'error']) bytes.once(event, () => gone.resolve());
  signal.addEventListener('abort', () => gone.resolve(), { once: true });
  const output = new Writable({
    write(chunk, _encoding, done) {
      write(String(chunk));
      done();
    },
  });
  // An input that is too long closes the connection.
  server.onclose = () => gone.resolve();
  await server.connect(new StdioServerTransport(bytes, output, { maxBufferSize: MAX_BUFFER_BYTES }));
  if (!signal.aborted) await gone.promise;
  input.destroy();
  await server.close();
}

/** The command's input gives texts; the transport takes bytes. */
async function* bytesOf(input: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of input) yield Buffer.from(chunk as string);
}
