/** Maps a failure of a service to the error that the SDK would throw: the same names and fields. */
import { type Metadata, ServiceException } from './exception.ts';
import type { Service } from './service.ts';
import { fromWire } from './wire.ts';

export function errorOf(
  service: Service,
  text: string,
  headers: Readonly<Record<string, string>>,
  metadata: Metadata,
): ServiceException {
  const { __type: type, message, Message, ...fields } = bodyIn(text, service);
  const earlier = service.queues && codeIn(headers['x-amzn-query-error']?.split(';')[0]);
  const stated = earlier ?? codeIn(type) ?? codeIn(headers['x-amzn-errortype']) ?? 'Unknown';
  const name = service.queues?.codes.get(stated) ?? stated;
  const words = [message, Message].find((each) => typeof each === 'string') ?? 'UnknownError';
  const Kind = Object.hasOwn(service.errors, name) ? service.errors[name] : undefined;
  return Object.assign(new (Kind ?? ServiceException)(name, words as string, metadata), fields);
}

/** A proxy's answer may be no JSON; the status still tells whether another try may help. */
function bodyIn(text: string, service: Service): Readonly<Record<string, unknown>> {
  try {
    return fromWire(text, service);
  } catch {
    return {};
  }
}

/** `Code` of `com.amazonaws.dynamodb.v20120810#Code:http://…`. */
function codeIn(stated: unknown): string | undefined {
  if (typeof stated !== 'string') return undefined;
  return /^(?:[^#,:]*#)?([\w.]+)/.exec(stated)?.[1];
}
