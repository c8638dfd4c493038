/** Checks the stores of the gate, in memory and on DynamoDB alike (A6, A7, A14, A15, G39). */
import { beforeAll, describe } from 'vitest';
import { type StoresUnderTest, storesOf } from '../support/stores.ts';
import { aliasesContract } from './aliases.contract.ts';
import { approvalsContract } from './approvals.contract.ts';
import { cardListsContract } from './card-lists.contract.ts';
import { claimsContract } from './claims.contract.ts';
import { modelAnswersContract } from './model-answers.contract.ts';
import { nextReleaseContract } from './next-release.contract.ts';
import { recordContract } from './record.contract.ts';
import { roomContract } from './room.contract.ts';
import { searchContract } from './search.contract.ts';
import { votesContract } from './votes.contract.ts';

export function storesContract(name: string, make: () => Promise<StoresUnderTest>): void {
  describe(name, () => {
    let made: StoresUnderTest;
    beforeAll(async () => {
      made = await make();
    });
    const stores = storesOf(() => made);
    claimsContract(stores);
    approvalsContract(stores);
    recordContract(stores);
    searchContract(stores);
    nextReleaseContract(stores);
    modelAnswersContract(stores);
    cardListsContract(stores);
    roomContract(stores);
    votesContract(stores);
    aliasesContract(stores);
  });
}
