/** Stores the secrets behind aliases in memory. */
import { type AliasKey, aliasOf } from '../../../domain/record/alias.ts';
import type { AliasStore } from '../../../ports/stores/alias-store.ts';
import type { MemoryState } from './state.ts';

export function memoryAliasStore({ aliasKeys }: MemoryState): AliasStore {
  return {
    async read(names) {
      const found = names.flatMap((name): [string, AliasKey][] => {
        const key = aliasKeys.get(name);
        return key && (key.user === name || aliasOf(key) === name) ? [[name, key]] : [];
      });
      return new Map(found);
    },
    async put(key) {
      if (aliasKeys.has(key.user)) return false;
      aliasKeys.set(key.user, key).set(aliasOf(key), key);
      return true;
    },
    async destroy(key) {
      if (aliasKeys.get(key.user)?.secret === key.secret) aliasKeys.delete(key.user);
      aliasKeys.delete(aliasOf(key));
    },
  };
}
