/** Stores the circuits of one process. */
import type { CircuitRow, CircuitStore } from '../../../ports/stores/guardrail-state.ts';

export class MemoryCircuits implements CircuitStore {
  readonly #rows = new Map<string, { row: CircuitRow; version: number }>();

  load(key: string): { row: CircuitRow; version: number } | undefined {
    return this.#rows.get(key);
  }

  save(key: string, row: CircuitRow, expectedVersion: number): boolean {
    if ((this.#rows.get(key)?.version ?? 0) !== expectedVersion) return false;
    this.#rows.set(key, { row, version: expectedVersion + 1 });
    return true;
  }
}
