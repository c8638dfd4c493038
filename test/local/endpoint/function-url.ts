// Where a function URL is reached locally: its own host name does not resolve to this machine.
import type { Endpoint } from './endpoint.ts';

/** `https://<id>.lambda-url.<region>.on.aws/<path>` as `<endpoint>/_aws/lambda-url/<id>/<path>`. */
export function localFunctionUrl(endpoint: Endpoint, functionUrl: string): string {
  const { hostname, pathname, search } = new URL(functionUrl);
  const id = /^([^.]+)\.lambda-url\./.exec(hostname)?.[1];
  if (!id) throw new TypeError(`Not the address of a function: ${functionUrl}`);
  return `${endpoint.url}/_aws/lambda-url/${id}${pathname}${search}`;
}
