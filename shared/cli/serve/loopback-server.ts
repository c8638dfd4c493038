/** Starts the HTTP server on loopback, and stops it without cutting answers off. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTo, reportedOf } from './problems.ts';
import type { Answer, Respond } from './routes.ts';

/** A request that arrives slower than this comes from no program. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Calls of as many programs may wait at once; more connections are not accepted. */
const MAX_CONNECTIONS = 2_000;
/** Answers that are on their way may take so long once the server closes. */
const CLOSE_TIMEOUT_MS = 5_000;

interface ServerSettings {
  /** Answers what programs on this machine ask: it admits each request itself. */
  readonly respond: Respond;
  /** 0: any that is free. */
  readonly port: number;
  /** Told of errors whose words are not for the program. */
  readonly report: (error: unknown) => void;
}

export interface LoopbackServer {
  readonly url: string;
  /** Ends every wait with the state of its call, and resolves once all are answered. */
  close(): Promise<void>;
}

/** @throws Error of the system where the port cannot be taken */
export async function openServer({ respond, port, report }: ServerSettings): Promise<LoopbackServer> {
  const closing = new AbortController();
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, async (request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('the program no longer waits')));
    try {
      send(response, await respond(request, AbortSignal.any([gone.signal, closing.signal])));
    } catch (error) {
      const { status, problem } = answerTo(error);
      if (status >= 500) report(reportedOf(error));
      send(response, { status, body: problem });
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        const late = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
        server.close(() => {
          clearTimeout(late);
          resolve();
        });
        closing.abort(new Error('countersign serve stops; send the call again once it runs'));
      }),
  };

  function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
    const text = body === undefined ? '' : JSON.stringify(body);
    response.writeHead(status, {
      ...headers,
      ...(text === '' ? {} : { 'content-type': 'application/json' }),
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      // The rest of a body that was not read is not awaited, and a server that closes keeps no connection.
      ...(status >= 400 || closing.signal.aborted ? { connection: 'close' } : {}),
    });
    response.end(text);
  }
}
