/** Stores results in memory; bound to one agent where `owner` says so, as its role is on AWS. */
import { callResult } from '../../../contract/execution.ts';
import { asStored } from '../../../contract/stored.ts';
import type { ResultStore } from '../../../ports/stores/result-store.ts';
import { readCopy, toCopy } from './json-copy.ts';
import type { MemoryState } from './state.ts';

export function memoryResultStore(state: MemoryState, owner?: string): ResultStore {
  const keyOf = (agent: string, pid: string, requestId: string) => `${agent}#${pid}#${requestId}`;
  return {
    async read(agent, pid, requestId) {
      if (owner !== undefined && agent !== owner) throw new Error(`${owner} may not read the results of ${agent}`);
      const row = state.results.get(keyOf(agent, pid, requestId));
      return row && readCopy(row, asStored(callResult));
    },
    async put(agent, pid, result) {
      const key = keyOf(agent, pid, result.requestId);
      const copy = toCopy(result);
      if (state.results.has(key)) return state.results.get(key)?.json === copy.json;
      state.results.set(key, copy);
      return true;
    },
  };
}
