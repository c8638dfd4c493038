/** Stores the emergency brake in memory. */
import { type Control, type ControlStore, NO_CONTROL } from '../../../ports/stores/control.ts';
import { sharedOf, toCopy } from './json-copy.ts';
import type { MemoryState } from './state.ts';

export const controlOf = (state: MemoryState): Control =>
  state.control ? (sharedOf(state.control) as Control) : NO_CONTROL;

export function memoryControlStore(state: MemoryState): ControlStore {
  return {
    async read() {
      return controlOf(state);
    },
    async write(next) {
      if (controlOf(state).version !== next.version - 1) return false;
      state.control = toCopy(next);
      return true;
    },
  };
}
