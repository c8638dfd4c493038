/** Words a gate that is away for a model. */
import { CountersignError, isCountersignError } from '../../domain/errors.ts';
import type { Redeemer } from '../../ports/agent-side.ts';
import { settingAtFault } from '../calls/setting-at-fault.ts';

/** The code of a call that could not be sent or redeemed. */
export const UNREACHABLE = 'gate_unreachable';

/**
 * Names the kind of fault alone, since the words of AWS may hold tokens and ids. The cause has them.
 *
 * @returns the error itself if it is one of this package or the signal's own reason
 */
export function asUnreachable(error: unknown, signal?: AbortSignal): unknown {
  if (isCountersignError(error) || signal?.aborted || !(error instanceof Error)) return error;
  const message = `the tool was not run, for the gate could not be reached (${settingAtFault(error) ?? kindOf(error)})`;
  return new CountersignError(UNREACHABLE, message, { cause: error });
}

function kindOf({ name, code }: Error & { readonly code?: unknown }): string {
  return name === 'Error' && typeof code === 'string' ? code : name;
}

/** For calls of a framework, which may show a model whatever is thrown. */
export const reachable = (redeemer: Redeemer): Redeemer => ({
  redeem: (request) =>
    redeemer.redeem(request).catch((error: unknown) => {
      throw asUnreachable(error);
    }),
});
