/** Makes ids that a test can foresee: `id-0001`, `id-0002` and so on. */
import type { Ids } from '../ports/clock.ts';

export function countingIds(prefix = 'id'): Ids {
  let count = 0;
  return { next: () => `${prefix}-${String(++count).padStart(4, '0')}` };
}
