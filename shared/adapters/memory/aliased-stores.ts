/** Puts the stores in memory together with aliases of people, as `storesOf` does in the functions. */
import type { Policy } from '../../config/compile.ts';
import { usersOf } from '../../config/readers/record-people.ts';
import { sha256Hex } from '../../domain/digest.ts';
import type { Clock } from '../../ports/clock.ts';
import { withAliases } from '../../use-cases/audit/aliased-record.ts';
import { PeopleAliases } from '../../use-cases/audit/people-aliases.ts';
import type { GateStores } from './stores.ts';

export function aliasedStores(clock: Clock, policy: () => Policy, { aliases: keys, ...stores }: GateStores) {
  // One process keeps nothing, so none of these secrets has to be random.
  let secrets = 0;
  const newSecret = () => sha256Hex(`alias#${++secrets}`);
  const aliases = new PeopleAliases({ aliases: keys, clock, newSecret });
  const naming = {
    people: aliases,
    writesAliases: () => policy().record.hasAliases,
    listed: () => usersOf(policy().settings),
  };
  return { aliases, naming, ...withAliases(stores, naming) };
}
