/**
 * Remembers the message in work, for log lines of code that knows no message.
 *
 * Such code is the clients of models and hooks.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

interface Ids {
  readonly messageId?: string;
  readonly pid?: string;
  readonly proposalId?: string | null;
  readonly agent?: string;
}

const storage = new AsyncLocalStorage<{ ids: Ids }>();

/** Runs `work`; whatever it calls finds `ids`. */
export const aboutMessage = <Result>(ids: Ids, work: () => Promise<Result>): Promise<Result> =>
  storage.run({ ids }, work);

/** Adds what was found out meanwhile; nothing happens outside of `aboutMessage`. */
export function addIds(ids: Ids): void {
  const store = storage.getStore();
  if (store) store.ids = { ...store.ids, ...ids };
}

export const idsOfWork = (): Ids => storage.getStore()?.ids ?? {};
