/** Words a gate that is away for a model. */
import { CountersignError, isCountersignError } from '../../domain/errors.ts';
import type { Redeemer } from '../../ports/agent-side.ts';

const MAX_WORDS = 300;

/** The words of an error of AWS: names of accounts and roles are none of a model's business. */
export function wordsOf({ name, message }: Error): string {
  const words = message
    .replace(/arn:[^\s"']*/g, 'arn:…')
    .replace(/\b\d{12}\b/g, '…')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_WORDS);
  return name === 'Error' ? words : [name, words].filter(Boolean).join(': ');
}

/** @returns the error itself if it is one of this package or the signal's own reason */
export function asUnreachable(error: unknown, signal?: AbortSignal): unknown {
  if (isCountersignError(error) || signal?.aborted || !(error instanceof Error)) return error;
  const message = `the tool was not run, for the gate could not be reached: ${wordsOf(error)}`;
  return new CountersignError('gate_unreachable', message, { cause: error });
}

/** For calls of a framework, which may show a model whatever is thrown. */
export const reachable = (redeemer: Redeemer): Redeemer => ({
  redeem: (request) =>
    redeemer.redeem(request).catch((error: unknown) => {
      throw asUnreachable(error);
    }),
});
