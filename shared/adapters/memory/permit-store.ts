/** Permits in use, in memory. */
import type { HeldPermit, PermitStore } from '../../ports/permit-store.ts';
import { copyOf, keep, type MemoryState } from './state.ts';

export function memoryPermitStore(state: MemoryState): PermitStore {
  const keyOf = ({ pid, callId }: Pick<HeldPermit, 'pid' | 'callId'>) => `${pid}#${callId}`;
  const held = (key: string) => {
    const row = state.permits.get(key);
    return row && (copyOf(row.permit) as HeldPermit);
  };
  return {
    async read(pid, callId) {
      return held(keyOf({ pid, callId }));
    },
    async take(permit, dueAt) {
      const there = held(keyOf(permit));
      if (there && there.stage !== 'free') return there;
      state.permits.set(keyOf(permit), { permit: keep(permit), dueAt });
      return undefined;
    },
    async move(next, from, dueAt) {
      const there = held(keyOf(next));
      if (
        there?.redemptionId !== next.redemptionId ||
        (there.stage !== from && !(next.stage === 'begun' && there.stage === 'begun'))
      )
        return false;
      state.permits.set(keyOf(next), { permit: keep(next), ...(dueAt === undefined ? {} : { dueAt }) });
      return true;
    },
    async due(now, limit) {
      return [...state.permits.values()]
        .filter(({ dueAt }) => dueAt !== undefined && dueAt <= now)
        .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
        .slice(0, limit)
        .map(({ permit }) => copyOf(permit) as HeldPermit);
    },
  };
}
