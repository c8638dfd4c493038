/** Sends one request to the app, waits as long as Slack would, and keeps it in the log. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { RequestLogEntry } from '../types.ts';
import { changed, type World } from '../world.ts';
import { FORM, signedHeaders } from './sign.ts';

type Outgoing = { kind: RequestLogEntry['kind']; url: string | undefined; body: string };

/** Signed with the app's secret and the world's clock. */
export function deliverSigned(
  world: World,
  outgoing: Outgoing,
  type: string = FORM,
  extra: Record<string, string> = {},
): Promise<RequestLogEntry> {
  const timestamp = Math.floor(world.clock() / 1_000);
  return deliver(world, outgoing, {
    ...signedHeaders(world.signingSecret, timestamp, outgoing.body, type),
    ...extra,
  });
}

/** Exactly these headers and bytes; never rejects, the entry says what went wrong. */
export async function deliver(
  world: World,
  outgoing: Outgoing,
  headers: Record<string, string>,
): Promise<RequestLogEntry> {
  const { kind, url = '', body } = outgoing;
  const entry: RequestLogEntry = { id: world.requestLog.length + 1, kind, url, at: world.clock(), body, headers };
  world.requestLog.push(entry);
  const started = performance.now();
  if (url === '') entry.failure = 'no-url';
  else await send(world, entry);
  entry.durationMs = performance.now() - started;
  changed(world);
  return entry;
}

/** RFC 6761: names under `localhost` are loopback, whether this machine's resolver knows it or not. */
const loopback: LookupFunction = (_name, { all }, done) => {
  if (all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

function send(world: World, entry: RequestLogEntry): Promise<void> {
  const target = new URL(entry.url);
  const options = {
    method: 'POST',
    headers: { ...entry.headers, ...world.requestHeaders, 'content-length': String(Buffer.byteLength(entry.body)) },
    agent: false,
    signal: world.stopping.signal,
    ...world.trust,
    ...(target.hostname.endsWith('.localhost') && { lookup: loopback }),
  } as const;
  return new Promise((resolve) => {
    const outgoing =
      target.protocol === 'https:'
        ? httpsRequest(target, options, onResponse)
        : httpRequest(target, options, onResponse);
    const timer = setTimeout(() => {
      entry.failure = 'timeout';
      outgoing.destroy();
      done();
    }, world.ackTimeoutMs);
    outgoing.on('error', (error) => {
      entry.failure ??= 'unreachable';
      entry.detail ??= error.message;
      done();
    });
    outgoing.end(entry.body);

    function onResponse(response: IncomingMessage): void {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => done());
      response.on('end', () => {
        if (entry.failure !== undefined) return;
        entry.status = response.statusCode ?? 0;
        entry.responseBody = Buffer.concat(chunks).toString('utf8');
        entry.responseHeaders = Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        );
        done();
      });
    }

    function done(): void {
      clearTimeout(timer);
      resolve();
    }
  });
}

/** The local Slack talks to this machine only. */
export function loopbackUrl(url: string): string {
  const { protocol, hostname } = new URL(url);
  const local = /^(127(\.\d+){3}|\[::1\]|localhost|.+\.localhost|(.+\.)?localhost\.localstack\.cloud)$/.test(hostname);
  if (!local || !['http:', 'https:'].includes(protocol)) {
    throw new Error(`The local Slack sends requests to loopback addresses only, not to ${url}`);
  }
  return url;
}
