/** Gives the reason of decisions and refusals that a forged row leads to (G47). */
export const RECORD_DISAGREES = 'record_disagrees';

/** Of an approval that ended for it: what its row holds is nobody's answer. */
export const isForged = (decision: { readonly reasonCode: string }): boolean =>
  decision.reasonCode === RECORD_DISAGREES;
