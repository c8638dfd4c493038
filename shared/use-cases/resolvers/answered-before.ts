/** Reads the answers that models gave to a proposal before a crash. */
import type { ModelEntry } from '../../contract/index.ts';
import type { DecidableProposal } from '../../contract/proposal.ts';
import type { ModelDependencies } from './call-model.ts';

/** How long one run may go on asking; what is left is asked by the next one, since `deliberate` has a minute in all. */
export const ASK_TIMEOUT_MS = 40_000;

/** Only answers to choices are stored. */
export async function answeredBefore(
  proposal: DecidableProposal,
  pid: string,
  { models, journal }: Pick<ModelDependencies, 'models' | 'journal'>,
): Promise<ModelEntry[]> {
  if (proposal.kind !== 'action-choice' || !models) return [];
  return (await journal.read(pid)).filter((entry) => entry.type === 'model');
}
