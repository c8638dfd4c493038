/** Stores delegations in memory. */
import { delegations, NO_DELEGATIONS } from '../../../contract/delegation.ts';
import { asStored } from '../../../contract/stored.ts';
import type { DelegationStore } from '../../../ports/stores/delegation-store.ts';
import { readCopy, toCopy } from './json-copy.ts';
import type { MemoryState } from './state.ts';

export function memoryDelegationStore(state: MemoryState): DelegationStore {
  const stored = () => (state.delegations ? readCopy(state.delegations, asStored(delegations)) : NO_DELEGATIONS);
  return {
    async read() {
      return stored();
    },
    async write(next) {
      if (stored().version !== next.version - 1) return false;
      state.delegations = toCopy(next);
      return true;
    },
  };
}
