// Tells addresses of this machine: programs that deploy locally refuse all others.
import { isIP } from 'node:net';
import { EndpointNotLocal } from './errors.ts';

/** By name or address alone: no name is looked up, since what it resolves to could change between check and use. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(host) === 4) return host.startsWith('127.');
  // RFC 6761: `localhost` and the names under it are always loopback.
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost');
}

export function requireLoopback(url: string): void {
  if (!isLoopback(url)) {
    throw new EndpointNotLocal(
      `AWS_ENDPOINT_URL is ${url}, which is not this machine: use a loopback address such as https://127.0.0.1:4566, or unset AWS_ENDPOINT_URL`,
    );
  }
}
