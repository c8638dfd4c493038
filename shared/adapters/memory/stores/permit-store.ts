/** Stores permits in use in memory. */
import type { HeldPermit, PermitStore } from '../../../ports/stores/permit-store.ts';
import { sharedOf, toCopy } from './json-copy.ts';
import type { MemoryState } from './state.ts';

export function memoryPermitStore(state: MemoryState): PermitStore {
  const keyOf = ({ pid, callId }: Pick<HeldPermit, 'pid' | 'callId'>) => `${pid}#${callId}`;
  const held = (key: string) => {
    const row = state.permits.get(key);
    return row && (sharedOf(row.permit) as HeldPermit);
  };
  return {
    async read(pid, callId) {
      return held(keyOf({ pid, callId }));
    },
    async take(permit, dueAt) {
      const there = held(keyOf(permit));
      if (there && there.stage !== 'free') return there;
      state.permits.set(keyOf(permit), { permit: toCopy(permit), dueAt });
      return undefined;
    },
    async move(next, from, dueAt) {
      const there = held(keyOf(next));
      if (
        there?.redemptionId !== next.redemptionId ||
        (there.stage !== from && !(next.stage === 'begun' && there.stage === 'begun'))
      )
        return false;
      state.permits.set(keyOf(next), { permit: toCopy(next), ...(dueAt === undefined ? {} : { dueAt }) });
      return true;
    },
    async due(now, limit, after) {
      const rows = [...state.permits].flatMap(([key, { permit, dueAt, failures = 0 }]) => {
        if (dueAt === undefined || dueAt > now) return [];
        const { pid, callId } = sharedOf(permit) as HeldPermit;
        return [{ key, pid, callId, dueAt, failures }];
      });
      const isNext = ({ key, dueAt }: (typeof rows)[number]) =>
        !after || dueAt > after.dueAt || (dueAt === after.dueAt && key > keyOf(after));
      return rows
        .filter(isNext)
        .toSorted((a, b) => a.dueAt - b.dueAt || (a.key < b.key ? -1 : 1))
        .slice(0, limit)
        .map(({ key: _, ...due }) => due);
    },
    async setBack(pid, callId, dueAt, failures) {
      const key = keyOf({ pid, callId });
      const row = state.permits.get(key);
      if (row?.dueAt !== undefined) state.permits.set(key, { ...row, dueAt, failures });
    },
    async dropDue(pid, callId) {
      const key = keyOf({ pid, callId });
      const row = state.permits.get(key);
      if (row) state.permits.set(key, { permit: row.permit });
    },
  };
}
