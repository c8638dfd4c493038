/** Ids that a test can foresee: `id-0001`, `id-0002`, … */
import type { Ids } from '../ports/clock.ts';

export function countingIds(prefix = 'id'): Ids {
  let count = 0;
  return { next: () => `${prefix}-${String(++count).padStart(4, '0')}` };
}
