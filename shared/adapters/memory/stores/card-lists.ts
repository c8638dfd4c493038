/** Holds lists of waiting calls in memory. */
import type { Burst, CardList, CardListStore } from '../../../ports/stores/card-lists.ts';
import { sharedOf, toCopy } from './json-copy.ts';
import type { MemoryState } from './state.ts';

export function memoryCardLists({ cardLists: rows }: Pick<MemoryState, 'cardLists'>): CardListStore {
  const read = (key: string) => {
    const stored = rows.get(key);
    return stored && sharedOf(stored);
  };
  const write = (key: string, next: Burst | CardList): boolean => {
    const stored = read(key) as { readonly version: number } | undefined;
    if ((stored?.version ?? 0) !== next.version - 1) return false;
    rows.set(key, toCopy(next));
    return true;
  };
  const burstKey = (agent: string, channel: string) => `burst#${agent}#${channel}`;
  return {
    readBurst: async (agent, channel) => read(burstKey(agent, channel)) as Burst | undefined,
    readList: async (id) => read(`of#${id}`) as CardList | undefined,
    writeBurst: async (next) => write(burstKey(next.agent, next.channel), next),
    writeList: async (next) => write(`of#${next.id}`, next),
  };
}
