/** Stores the secrets behind aliases of people in the record: one each, until it is destroyed. */
import type { AliasKey } from '../../domain/record/alias.ts';

export interface AliasStore {
  /** By the names that were asked for, Slack ids and aliases alike; a name without a secret has none. A secret that gives another alias is none. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, AliasKey>>;
  /** Puts the secret of a person who has none; false, and nothing is written, if they have one. */
  put(key: AliasKey): Promise<boolean>;
  /** Destroys a secret, for good. Nothing happens if it is gone. */
  destroy(key: AliasKey): Promise<void>;
}
