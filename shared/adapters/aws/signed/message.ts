/** Writes an operation as the path, the headers and the body of its request. */
import { randomUUID } from 'node:crypto';
import type { Service } from './service.ts';
import { toWire } from './wire.ts';

interface RequestMessage {
  /** After the endpoint's own. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function messageOf({ operations }: Service, operation: string, input: object): RequestMessage {
  if ('routeOf' in operations) {
    const { path, body } = operations.routeOf(operation, input);
    return { path, headers: { 'content-type': 'application/json' }, body: toWire(body) };
  }
  const { target, jsonVersion, once } = operations;
  const token = once?.has(operation) ? { ClientRequestToken: randomUUID() } : {};
  return {
    path: '/',
    headers: { 'content-type': `application/x-amz-json-${jsonVersion}`, 'x-amz-target': `${target}.${operation}` },
    body: toWire({ ...token, ...input }),
  };
}
