// Finds the local address of a function URL.
//
// The name that AWS would give it does not resolve to this machine.
import type { Endpoint } from './endpoint.ts';

/**
 * `https://<id>.lambda-url.<region>.on.aws/<path>` as MiniStack serves it: `<endpoint>/_aws/lambda-url/<id>/<path>`. LocalStack gives
 * names that lead to it already, such as `<id>.lambda-url.<region>.localhost:<port>`; its image gives some under a public name for this
 * machine, which only a resolver on the outside knows.
 */
export function localFunctionUrl(endpoint: Endpoint, functionUrl: string): string {
  const { hostname, pathname, search } = new URL(functionUrl);
  const id = /^([^.]+)\.lambda-url\./.exec(hostname)?.[1];
  if (!id) throw new TypeError(`Not the address of a function: ${functionUrl}`);
  if (hostname.endsWith('.on.aws')) return `${endpoint.url}/_aws/lambda-url/${id}${pathname}${search}`;
  return functionUrl.replace('.localhost.localstack.cloud', '.localhost');
}
