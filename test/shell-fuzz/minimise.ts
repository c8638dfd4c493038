/**
 * Makes a failing text smaller while it still fails in the same way.
 *
 * Deletes words, then letters, then rules.
 */
import type { DrawnPolicy } from './policies.ts';

interface Failing {
  readonly text: string;
  readonly policy: DrawnPolicy;
}

const MAX_TRIES = 400;

/** `fails` tells whether a smaller one still fails; the search ends after a bounded number of questions. */
export async function minimised(failing: Failing, fails: (smaller: Failing) => Promise<boolean>): Promise<Failing> {
  let best = failing;
  let tries = MAX_TRIES;
  const attempt = async (smaller: Failing): Promise<boolean> => {
    if (tries-- <= 0 || !(await fails(smaller))) return false;
    best = smaller;
    return true;
  };
  await shrink(best.policy.rules, async (rules) => attempt({ ...best, policy: { ...best.policy, rules } }));
  const texts = async (pieces: readonly string[]) => attempt({ ...best, text: pieces.join('') });
  await shrink(wordsOf(best.text), texts);
  await shrink([...best.text], texts);
  await shrink([...best.text], texts);
  if (best.policy.mode !== 'default') await attempt({ ...best, policy: { ...best.policy, mode: 'default' } });
  return best;
}

/** Removes ever shorter runs of pieces, from the end to the begin, as long as `accepts` agrees. */
async function shrink<T>(pieces: readonly T[], accepts: (fewer: readonly T[]) => Promise<boolean>): Promise<void> {
  let left = [...pieces];
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = left.length - size; at >= 0; at -= size) {
      const fewer = left.toSpliced(at, size);
      if (fewer.length > 0 && (await accepts(fewer))) left = fewer;
    }
  }
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\w./~-]+|\s+|[^\w./~\s-]/g) ?? [];
}
