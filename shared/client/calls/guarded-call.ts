/** Declares the calls that a guard takes, and its settings. */
import type { CallOptions } from './call-options.ts';
import type { StatedCall } from './calls.ts';

/** One call of a run as the framework states it. */
export interface GuardedCall extends Omit<StatedCall, 'id'> {
  /** The framework's own id of the call, which stays the same when the run is taken up again. */
  readonly callId: string;
}

/** How a guarded call is waited for. */
export type GuardOptions = Pick<CallOptions, 'signal' | 'timeout' | 'onAbort'>;

/** How a guarded call is waited for and run. */
export interface GuardRunOptions extends GuardOptions {
  /**
   * Reads arguments that took the place of the proposed ones, as by the schema of the tool: the tool gets what this returns. An error that it
   * throws ends the call before its permit is redeemed. Default: the tool gets them as they are.
   */
  readonly readEdit?: ((input: Readonly<Record<string, unknown>>) => unknown) | undefined;
}

/** The run whose calls are guarded. */
export interface GuardSettings extends Omit<CallOptions<unknown>, 'id' | 'signal'> {
  /** Id of the run or conversation: with the id of a call it names the proposal. */
  readonly run: string;
}
