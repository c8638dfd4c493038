/** Tells a gated call whether it is made within the tool of another one. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** The call whose tool is running. */
export interface OuterCall {
  /** A permit that is redeemed is for this one run: the tool cannot begin anew. */
  readonly permit: 'redeemed' | 'kept';
  readonly signal: AbortSignal;
}

const outer = new AsyncLocalStorage<OuterCall>();

/** Runs a tool as the outer call of all that it does. */
export const asOuterCall = <Context extends Pick<OuterCall, 'signal'>, Output>(
  permit: OuterCall['permit'],
  context: Context,
  tool: (context: Context) => Output,
): Output => outer.run({ permit, signal: context.signal }, tool, context);

/** Undefined outside of a gated tool. */
export const outerCall = (): OuterCall | undefined => outer.getStore();
