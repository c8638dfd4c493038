/** Reads the context that an MCP server gives the handler of a tool, in any generation of the SDK. */
import { withSignal } from './with-signal.ts';

/** The fields that the gate reads. */
export interface Context {
  readonly signal?: AbortSignal;
  readonly mcpReq?: { readonly signal: AbortSignal; readonly envelope?: object; readonly requestState?: () => unknown };
}

/** The same request, with another signal. */
export const contextUntil = (context: Context, signal: AbortSignal): Context =>
  context.mcpReq
    ? { ...context, mcpReq: withSignal(context.mcpReq, 'signal', signal) }
    : withSignal(context, 'signal', signal);
