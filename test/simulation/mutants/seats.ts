/** Lists defects of delegated seats, and of leases, that the simulator has to find. */
import { domain, type Mutant, memory } from './mutant.ts';

const delegation = 'shared/use-cases/people/delegation.ts';

export const OF_SEATS: readonly Mutant[] = [
  {
    name: 'a delegated seat has no end',
    file: delegation,
    find: '(from === undefined || now >= Date.parse(from)) && now < Date.parse(until);',
    put: '(from === undefined || now >= Date.parse(from)) && until !== undefined;',
  },
  {
    name: 'a seat that is delegated for later is delegated at once',
    file: delegation,
    find: '(from === undefined || now >= Date.parse(from)) && now < Date.parse(until);',
    put: 'from !== until && now < Date.parse(until);',
  },
  {
    name: 'a seat that was taken back is still delegated',
    file: delegation,
    find: 'delegations: [...others, ...added],',
    put: 'delegations: gives ? [...others, ...added] : read.delegations,',
  },
  {
    name: 'a seat and whoever holds it have two votes',
    file: domain('approval/approval'),
    find: 'holders(a).some((one) => holders(b).some((other) => samePerson(one, other)));',
    put: 'samePerson(a.by, b.by);',
  },
  {
    name: 'a slot whose process ended is never free again',
    file: memory('guardrails/slots'),
    find: 'if (held.expiresAt <= now) {',
    put: 'if (held.expiresAt <= 0) {',
  },
];
