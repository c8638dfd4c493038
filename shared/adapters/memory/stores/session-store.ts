/** Stores session rows in memory: every change is conditional on the version that was read. */
import { type SessionRow, session as sessionSchema } from '../../../contract/session.ts';
import { asStored } from '../../../contract/stored.ts';
import { readEach } from '../../../domain/read-each.ts';
import { besideRecent, newSession } from '../../../domain/session.ts';
import { sessionKey } from '../../../ports/stores/claim-store.ts';
import type { SessionName, SessionStore, SessionView, SessionWrites } from '../../../ports/stores/session-store.ts';
import { controlOf } from './control-store.ts';
import { readCopy, sharedOf, toCopy } from './json-copy.ts';
import type { MemoryState } from './state.ts';
import { turnFits, writeTurn } from './task-store.ts';

function sessionAt(
  state: MemoryState,
  agent: string,
  sessionId: string,
  withoutRecent?: boolean,
): SessionRow | undefined {
  const key = sessionKey(agent, sessionId);
  const copy = state.sessions.get(key);
  const recents = withoutRecent ? undefined : state.recents.get(key);
  if (!copy && !recents) return undefined;
  const row = copy ? readCopy(copy, asStored(sessionSchema)) : newSession(agent, sessionId);
  return besideRecent(row, recents && (sharedOf(recents) as SessionRow['recent']));
}

const deniedAt = (state: MemoryState, agent: string, day: string): number => state.denied.get(`${agent}#${day}`) ?? 0;

export function viewOf(state: MemoryState, names: readonly SessionName[], day: string): SessionView {
  const sessions = new Map<string, SessionRow>();
  for (const { agent, sessionId, withoutRecent } of names) {
    const row = sessionAt(state, agent, sessionId, withoutRecent);
    if (row) sessions.set(sessionKey(agent, sessionId), row);
  }
  const counted = names.filter(({ withoutDenials }) => !withoutDenials);
  const denials = new Map(counted.map(({ agent }) => [agent, deniedAt(state, agent, day)]));
  return { control: controlOf(state), sessions, denials };
}

/** Whether every row is still the one that was read. */
export const fits = (state: MemoryState, { rows, recents = [], turn }: SessionWrites): boolean => {
  const versionOf = (row: SessionRow) => sessionAt(state, row.agent, row.sessionId)?.version ?? 0;
  return (
    rows.every((row) => versionOf(row) === row.version - 1) &&
    recents.every((row) => versionOf(row) === row.version) &&
    (turn === undefined || turnFits(state, turn))
  );
};

/** To be called in the same turn as `fits`. */
export function writeSessions(state: MemoryState, { rows, recents = [], denials, turn }: SessionWrites): void {
  for (const row of recents) state.recents.set(sessionKey(row.agent, row.sessionId), toCopy(row.recent));
  if (turn) writeTurn(state, turn);
  for (const row of rows) state.sessions.set(sessionKey(row.agent, row.sessionId), toCopy(row));
  if (!denials?.more) return;
  const { agent, day, more } = denials;
  state.denied.set(`${agent}#${day}`, deniedAt(state, agent, day) + more);
}

export function memorySessionStore(state: MemoryState): SessionStore {
  return {
    async readTogether(names, day) {
      return viewOf(state, names, day);
    },
    async read(agent, sessionId) {
      return sessionAt(state, agent, sessionId);
    },
    async deniedOn(agent, day) {
      return deniedAt(state, agent, day);
    },
    async write(next) {
      if (!fits(state, { rows: [next] })) return false;
      writeSessions(state, { rows: [next] });
      return true;
    },
    async list(agent, limit) {
      const rows = [...state.sessions.values()];
      return readEach(
        rows,
        (copy) => readCopy(copy, asStored(sessionSchema)),
        () => undefined,
      )
        .filter((row) => row.agent === agent)
        .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
        .slice(0, limit);
    },
  };
}
