/** Reads the context that an MCP server gives the handler of a tool, in any generation of the SDK. */
import { withField } from './common/with-signal.ts';
import { isOwnState } from './mcp-rounds.ts';

/** The fields that the gate reads. */
export interface Context {
  readonly signal?: AbortSignal;
  readonly mcpReq?: Request;
  readonly sessionId?: string | undefined;
  readonly authInfo?: Authorization | undefined;
  readonly http?: { readonly authInfo?: Authorization | undefined; readonly req?: HttpRequest | undefined } | undefined;
  readonly requestInfo?: HttpRequest | undefined;
}

interface HttpRequest {
  readonly url?: string | URL | undefined;
  readonly headers?: Iterable<readonly [string, string]> | Readonly<Record<string, unknown>> | undefined;
}

interface Authorization {
  readonly token?: string;
}

interface Request {
  readonly signal: AbortSignal;
  readonly envelope?: object;
  readonly requestState?: () => unknown;
}

/** Headers that differ between two requests of one client. */
const OF_ONE_REQUEST =
  /^(content-length|date|baggage|cf-ray|b3|idempotency-key)$|trace|x-b3-|datadog|(request|correlation|invocation|vercel|cf)-id$/;

/**
 * The client behind a request, as far as anything tells it: a server may know its users by any header, or by an address. A header that is new with
 * each request has people asked anew; one that was left out could have a client run what was approved for another one.
 */
export function callerOf({ sessionId, authInfo, http, requestInfo }: Context): string[] {
  const { url = '', headers = {} } = http?.req ?? requestInfo ?? {};
  const stated = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  const kept = stated.filter(([name]) => !OF_ONE_REQUEST.test(name.toLowerCase())).map((one) => JSON.stringify(one));
  return [sessionId ?? '', (authInfo ?? http?.authInfo)?.token ?? '', String(url), ...kept.sort()];
}

/** The same request, with another signal. */
export const contextUntil = (context: Context, signal: AbortSignal): Context =>
  context.mcpReq
    ? { ...context, mcpReq: withOwnState(withField(context.mcpReq, 'signal', signal)) }
    : withField(context, 'signal', signal);

/** A tool that asks its client in several rounds would take the gate's state for one of its own. */
const withOwnState = (request: Request): Request =>
  isOwnState(request.requestState?.()) ? withField(request, 'requestState', () => undefined) : request;

interface Verified {
  readonly mcpReq?: { readonly method?: string };
}

type Verify = (state: string, context: Verified) => unknown;

/** Has a server that checks states let the gate's pass with calls of tools, which are not shown it. Prompts and resources would be. */
export function passOwnStates(server: object): void {
  const { server: protocol } = server as { readonly server?: { _requestStateVerify?: Verify | undefined } };
  const verify = protocol?._requestStateVerify;
  if (!protocol || !verify) return;
  protocol._requestStateVerify = (state, context) =>
    isOwnState(state) && context.mcpReq?.method === 'tools/call' ? state : verify(state, context);
}
