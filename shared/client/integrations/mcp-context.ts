/** Reads the context that an MCP server gives the handler of a tool, in any generation of the SDK. */

import { withField } from './common/with-signal.ts';
import { isOwnState } from './mcp-rounds.ts';

/** The fields that the gate reads. */
export interface Context {
  readonly signal?: AbortSignal;
  readonly mcpReq?: Request;
  readonly sessionId?: string | undefined;
  readonly authInfo?: Authorization | undefined;
  readonly http?: { readonly authInfo?: Authorization | undefined } | undefined;
}

interface Authorization {
  readonly token?: string;
}

interface Request {
  readonly signal: AbortSignal;
  readonly envelope?: object;
  readonly requestState?: () => unknown;
}

/** The client behind a request, as far as the server knows it. */
export const callerOf = ({ sessionId, authInfo, http }: Context): string[] => [
  sessionId ?? '',
  (authInfo ?? http?.authInfo)?.token ?? '',
];

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
