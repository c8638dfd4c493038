/** Lists defects that show after days, when rows that are over may still stand there. */
import { execution, type Mutant } from './mutant.ts';

export const OF_DAYS: readonly Mutant[] = [
  {
    name: 'a permit that is over runs its call',
    file: execution('consume-permit'),
    find: 'const expiresAt = Date.parse(permit.expiresAt);',
    put: 'const expiresAt = Number.POSITIVE_INFINITY;',
  },
];
