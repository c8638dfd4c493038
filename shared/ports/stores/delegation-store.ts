/** Stores delegations in one row, written on the condition that nobody was faster. */
import type { Delegations } from '../../contract/delegation.ts';

export interface DelegationStore {
  /** Consistent. */
  read(): Promise<Delegations>;
  /** False if another version is stored than `next.version - 1`. */
  write(next: Delegations): Promise<boolean>;
}
