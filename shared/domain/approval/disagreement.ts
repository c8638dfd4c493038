/** Gives the reason of decisions and refusals that a forged row leads to (G47). */
import type { Approval } from '../../contract/index.ts';

export const RECORD_DISAGREES = 'record_disagrees';

/** Whether an approval ended because record and row disagree: such a row holds nobody's answer. */
export const isForged = (decision: { readonly reasonCode: string }): boolean =>
  decision.reasonCode === RECORD_DISAGREES;

/** Whether people ended it, by votes that somebody cast: identical calls that wait take such an answer, and ask by themselves after any other end. */
export const isAnsweredByPeople = (
  { status, withdrawn }: Pick<Approval, 'status' | 'withdrawn'>,
  decision: { readonly reasonCode: string } | undefined,
): boolean => !(decision && isForged(decision)) && status !== 'cancelled' && status !== 'expired' && !withdrawn;
