/** Caches the session rows of one batch and serialises writes per session. */
import { EVERY_SESSION, type SessionRow } from '../../contract/index.ts';
import { newSession } from '../../domain/session.ts';
import { sessionKey } from '../../ports/stores/claim-store.ts';
import type { SessionName, SessionStore, SessionView, SessionWrites } from '../../ports/stores/session-store.ts';
import type { ChainReader } from './session-chain.ts';
import type { KeyMaker } from './session-keys.ts';
import { countsDenials, mayHaveRefused } from './session-reads.ts';

export class SessionCache {
  readonly #store: SessionStore;
  readonly #day: string;
  readonly #rows = new Map<string, SessionRow>();
  readonly #denied = new Map<string, number>();
  readonly #lines = new Map<string, Promise<unknown>>();

  /** `known`: sessions that were asked for in the batch's read; those that it did not find are new. */
  constructor(
    store: SessionStore,
    day: string,
    view?: Pick<SessionView, 'sessions' | 'denials'>,
    known: readonly SessionName[] = [],
  ) {
    this.#store = store;
    this.#day = day;
    for (const { agent, sessionId } of view ? known : []) {
      const key = sessionKey(agent, sessionId);
      this.#rows.set(key, view?.sessions.get(key) ?? newSession(agent, sessionId));
      const denied = view?.denials.get(agent);
      if (denied !== undefined) this.#denied.set(agent, denied);
    }
  }

  get day(): string {
    return this.#day;
  }

  async row(agent: string, sessionId: string): Promise<SessionRow> {
    const key = sessionKey(agent, sessionId);
    const known = this.#rows.get(key);
    if (known) return known;
    const read = (await this.#store.read(agent, sessionId)) ?? newSession(agent, sessionId);
    this.#rows.set(key, read);
    return read;
  }

  async denied(agent: string): Promise<number> {
    const known = this.#denied.get(agent) ?? (await this.#store.deniedOn(agent, this.#day));
    this.#denied.set(agent, known);
    return known;
  }

  /** Written rows replace those that were read. */
  apply({ rows, recents = [], denials }: SessionWrites): void {
    for (const row of [...recents, ...rows]) this.#rows.set(sessionKey(row.agent, row.sessionId), row);
    if (denials) this.#denied.set(denials.agent, (this.#denied.get(denials.agent) ?? 0) + denials.more);
  }

  /** Somebody else wrote: everything is read again when it is needed. */
  invalidate(): void {
    this.#rows.clear();
    this.#denied.clear();
  }

  /** Runs `work` after what stands in the session's line before it, whether that failed or not. */
  runExclusive(agent: string, sessionId: string, work: () => Promise<void>): Promise<void> {
    const key = sessionKey(agent, sessionId);
    const before = this.#lines.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    this.#lines.set(
      key,
      done.catch(() => undefined),
    );
    return done;
  }
}

export const chainReader = (
  sessionCache: SessionCache,
  { deployment, policy, digestKey, delegations }: KeyMaker & Pick<ChainReader, 'delegations'>,
  control: ChainReader['control'],
): ChainReader => ({
  control,
  deployment,
  policy,
  digestKey,
  delegations,
  row: (agent, sessionId) => sessionCache.row(agent, sessionId),
  async denied(agent) {
    const counts =
      countsDenials(policy, agent) || mayHaveRefused(await sessionCache.row(agent, EVERY_SESSION), sessionCache.day);
    return counts ? sessionCache.denied(agent) : 0;
  },
});
