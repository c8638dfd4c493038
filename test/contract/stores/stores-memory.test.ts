/** Checks the stores in memory. */
import { memoryDecisionReader } from '../../../shared/adapters/memory/stores/decision-reader.ts';
import { memoryStores } from '../../../shared/adapters/memory/stores.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import { withAliases } from '../../../shared/use-cases/audit/aliased-record.ts';
import { withEvents } from '../../../shared/use-cases/audit/emit-events.ts';
import { PeopleAliases } from '../../../shared/use-cases/audit/people-aliases.ts';
import { START } from '../support/rows.ts';
import { TEST_LIMITS } from '../support/stores.ts';
import { permitsContract } from './permits.contract.ts';
import { sessionsContract } from './sessions.contract.ts';
import { storesContract } from './stores.contract.ts';

storesContract('stores in memory', async () => {
  const stores = memoryStores(TEST_LIMITS);
  return { ...stores, reader: memoryDecisionReader(stores.state) };
});

storesContract('stores that tell of what they wrote', async () => {
  const stores = memoryStores(TEST_LIMITS);
  return { ...withEvents(stores, { emit: () => undefined }), reader: memoryDecisionReader(stores.state) };
});

storesContract('stores with aliases of people', async () => {
  const stores = memoryStores(TEST_LIMITS);
  let secrets = 0;
  const newSecret = () => sha256Hex(`secret ${++secrets}`);
  const people = new PeopleAliases({ aliases: stores.aliases, clock: { now: () => START }, newSecret });
  const naming = { people, writesAliases: () => true, listed: () => new Set(['U0ALICE', 'U0BOB']) };
  return { ...withAliases(stores, naming), reader: memoryDecisionReader(stores.state) };
});

permitsContract('permits in memory', async () => memoryStores(TEST_LIMITS));

sessionsContract('sessions in memory', async () => memoryStores(TEST_LIMITS));
