/**
 * Serves the agents of a gate in memory on loopback, in the words of AWS.
 *
 * The clients of agents need no change.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../ports/clock.ts';
import { type AgentSide, getItem, type Heard, invokeRedeem, RefusedCall, sendMessage } from './calls.ts';
import { INVOCATION_PATH } from './names.ts';
import { signerOf } from './signature.ts';

export interface AgentKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface AgentEndpointOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly clock: Clock;
  /** The secret of an access key id and the side of its agent; undefined for an id that nobody has. */
  agentOf(accessKeyId: string): { readonly secretAccessKey: string; readonly side: AgentSide } | undefined;
  readonly heard?: Heard;
  /** Told of faults of the gate; an agent learns only that there was one. */
  onFault(error: unknown): void;
}

interface AgentEndpoint {
  /** For `AWS_ENDPOINT_URL`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A message of a mebibyte with every byte escaped. */
const MAX_REQUEST_BYTES = 8 * 1_048_576;

/**
 * Node would close idle connections after six seconds, just as a client that reads every few seconds sends its next request. A redeem is sent once:
 * a connection that closes under it costs the call its permit.
 */
const KEEP_ALIVE_MS = 75_000;

/** @throws Error with the code `EADDRINUSE` for a port in use */
export async function startAgentEndpoint(options: AgentEndpointOptions): Promise<AgentEndpoint> {
  const server = createServer((request, response) => {
    answer(request, options)
      .then((body) => respond(response, 200, body))
      .catch((error: unknown) => refuse(response, error, options));
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, { agentOf, clock, heard = {} }: AgentEndpointOptions): Promise<object> {
  const body = await bodyOf(request);
  const { method = '', url = '', headers } = request;
  const keyId = signerOf({ method, url, headers, body }, (id) => agentOf(id)?.secretAccessKey, clock.now());
  const agent = keyId === undefined ? undefined : agentOf(keyId);
  if (!agent)
    throw new RefusedCall(
      'UnrecognizedClientException',
      'the keys are of no agent of this run of countersign dev: source the env file again',
    );
  const { side } = agent;
  const content = objectOf(body);
  if (url === INVOCATION_PATH && method === 'POST') return invokeRedeem(side, content);
  const operation = String(headers['x-amz-target'] ?? '');
  switch (operation.split('.').at(-1)) {
    case 'SendMessage':
      return sendMessage(side, content, heard);
    case 'GetItem':
      return getItem(side, content);
    default:
      throw new RefusedCall(
        'UnknownOperationException',
        `countersign dev answers the calls of an agent's client, and not ${operation || `${method} ${url}`.slice(0, 80)}`,
      );
  }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) throw new RefusedCall('RequestTooLarge', 'the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function objectOf(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // As any other text that is no object.
  }
  throw new RefusedCall('SerializationException', 'the body is no JSON object');
}

function refuse(response: ServerResponse, error: unknown, { onFault }: AgentEndpointOptions): void {
  const refusal = error instanceof RefusedCall ? error : undefined;
  if (!refusal) onFault(error);
  const type = refusal?.type ?? 'InternalServerError';
  respond(response, refusal ? 400 : 500, { __type: type, message: refusal?.message ?? 'the gate met a fault' }, type);
}

function respond(response: ServerResponse, status: number, body: object, type?: string): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'Content-Type': 'application/x-amz-json-1.0',
    ...(type === undefined ? {} : { 'x-amzn-ErrorType': type }),
  });
  response.end(JSON.stringify(body));
}
