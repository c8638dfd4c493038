// Finds the local address of a function URL.
//
// The name that AWS would give it does not resolve to this machine.
import type { Endpoint } from './endpoint.ts';

/**
 * Maps `https://<id>.lambda-url.<region>.on.aws/<path>` to the address at MiniStack, `<endpoint>/_aws/lambda-url/<id>/<path>`. LocalStack's own
 * names, such as `<id>.lambda-url.<region>.localhost:<port>`, lead to this machine already. The image of LocalStack uses a public name for this
 * machine, which only a public resolver knows.
 */
export function localFunctionUrl(endpoint: Endpoint, functionUrl: string): string {
  const { hostname, pathname, search } = new URL(functionUrl);
  const id = /^([^.]+)\.lambda-url\./.exec(hostname)?.[1];
  if (!id) throw new TypeError(`Not the address of a function: ${functionUrl}`);
  if (hostname.endsWith('.on.aws')) return `${endpoint.url}/_aws/lambda-url/${id}${pathname}${search}`;
  return functionUrl.replace('.localhost.localstack.cloud', '.localhost');
}
