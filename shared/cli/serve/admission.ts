/** Admits requests of programs on this machine that hold the token, and none of a web page. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../domain/loopback.ts';
import { RequestError } from './problems.ts';

/** Before anything else is done for a request. @throws RequestError */
export function admit(request: Pick<IncomingMessage, 'headers' | 'socket'>, token: string): void {
  refusePages(request);
  requireToken(request, token);
}

/**
 * Refuses requests of web pages. A page can reach loopback under a name of its own that resolves to it (DNS rebinding), but its browser sends
 * that name as the host, or an origin.
 *
 * @throws RequestError
 */
function refusePages({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): void {
  const { host = '', origin } = headers;
  const url = URL.parse(`http://${host}`);
  const isOurs = url !== null && isLoopback(url.hostname) && Number(url.port || 80) === socket.localPort;
  if (!isOurs || url.host !== host.toLowerCase().replace(/:80$/, ''))
    throw new RequestError(421, 'foreign_host', 'the Host header is not that of this server');
  if (origin !== undefined || headers['sec-fetch-site'] !== undefined)
    throw new RequestError(403, 'foreign_origin', 'web pages may not use this server');
}

/** Compares digests, so that the time tells neither the token nor its length. @throws RequestError */
function requireToken({ headers }: Pick<IncomingMessage, 'headers'>, token: string): void {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (timingSafeEqual(digest(given), digest(token))) return;
  throw new RequestError(401, 'wrong_token', 'send the token of the token file as Authorization: Bearer …');
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
