// Tells addresses of this machine: programs that deploy locally refuse all others.
import { isThisMachine } from '../../domain/loopback.ts';
import { EndpointNotLocal } from './errors.ts';

/** By name or address alone: no name is looked up, since what it resolves to could change between check and use. */
export const isLoopback = (url: string): boolean => URL.canParse(url) && isThisMachine(new URL(url).hostname);

export function requireLoopback(url: string): void {
  if (!isLoopback(url)) {
    throw new EndpointNotLocal(
      `AWS_ENDPOINT_URL is ${url}, which is not this machine: use a loopback address such as https://127.0.0.1:4566, or unset AWS_ENDPOINT_URL`,
    );
  }
}
