/** Evaluates a call under the mode that a hook names for it: no agent above is left out. */
import type { Mode } from '../../../../contract/index.ts';
import type { Evaluation } from '../../../../permissions/model/types.ts';

export const STRENGTH = { allow: 0, ask: 1, deny: 2, error: 3 } as const;

/**
 * In mode bubble a denial and an ask rule of an agent above hold, whatever mode a hook names.
 *
 * @param own the mode without the hook
 * @param under evaluates the call under a mode
 */
export async function evaluatedUnder(
  own: Mode,
  mode: Mode,
  under: (mode: Mode) => Promise<Evaluation>,
): Promise<Evaluation> {
  const named = await under(mode);
  if (own !== 'bubble' || mode === own || named.kind === 'needs') return named;
  const above = await under(own);
  if (above.kind === 'needs') return above;
  const { verdict, humanRequired } = above.verdict;
  const stronger = STRENGTH[verdict] - STRENGTH[named.verdict.verdict];
  // A question that no rule of an agent below answers is the stronger of two.
  const holds = verdict === 'ask' ? humanRequired && stronger >= 0 : stronger > 0;
  return holds ? above : named;
}
