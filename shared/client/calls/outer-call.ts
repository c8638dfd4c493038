/** Tells a gated call whether it is made within the tool of another one. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** The call whose tool is running. */
interface OuterCall {
  /** A permit that is redeemed is for this one run: the tool cannot begin anew. */
  readonly permit: 'redeemed' | 'kept';
  readonly signal: AbortSignal;
  /** The tools that run: this one, and those around it. Each takes up one of its calls until it ends. */
  readonly tools: readonly string[];
}

const outer = new AsyncLocalStorage<OuterCall>();

/** Runs a tool as the outer call of all that it does. */
export const asOuterCall = <Context extends Pick<OuterCall, 'signal'>, Output>(
  { permit, tool }: Pick<OuterCall, 'permit'> & { readonly tool: string },
  context: Context,
  run: (context: Context) => Output,
): Output => {
  const tools = [tool, ...(outerCall()?.tools ?? [])];
  return outer.run({ permit, signal: context.signal, tools }, run, context);
};

/** Undefined outside of a gated tool. */
export const outerCall = (): OuterCall | undefined => outer.getStore();

/** A call within a tool ends with it: nobody would get its output. */
export function untilOuterEnds(own: AbortSignal | undefined): AbortSignal | undefined {
  const around = outerCall()?.signal;
  return around && own ? AbortSignal.any([around, own]) : (own ?? around);
}
