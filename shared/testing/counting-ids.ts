/** Makes ids that a test can foresee: `id-0001`, `id-0002` and so on. */
import type { Ids } from '../ports/clock.ts';

export function countingIds(): Ids {
  let count = 0;
  return { next: () => `id-${String(++count).padStart(4, '0')}` };
}
