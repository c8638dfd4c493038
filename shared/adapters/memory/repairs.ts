/** Runs the reconciler of a gate in memory: each minute, as deployed, or when it is called. */
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import { type ReconcileDependencies, type Repaired, reconcile } from '../../use-cases/reconcile/reconcile.ts';

export interface MemoryRepairs {
  run(): Promise<Repaired>;
  stop(): void;
}

interface RepairOptions {
  readonly deps: ReconcileDependencies;
  readonly clock: Clock;
  readonly timers: Timers;
  /** 0: only when it is called. */
  readonly everyMs: number;
  /** Most rounds would find no row. */
  mayFindRows(): boolean;
  invoke(work: () => Promise<Repaired>): Promise<Repaired>;
  onFault(error: unknown): void;
}

/** As `reconcile` has when it is deployed. */
const RECONCILE_MS = 40_000;

export function memoryRepairs({ deps, clock, timers, everyMs, mayFindRows, invoke, onFault }: RepairOptions) {
  let cancel: () => void = () => undefined;
  const run = () =>
    invoke(async () => {
      const repaired = await reconcile(deps, clock.now() + RECONCILE_MS);
      for (const { error } of repaired.failed) onFault(error);
      if (repaired.listFault !== undefined) throw repaired.listFault;
      return repaired;
    });
  const tick = () => {
    cancel = timers.after(everyMs, () => {
      if (mayFindRows()) run().catch(onFault);
      tick();
    });
  };
  if (everyMs > 0) tick();
  return { run, stop: () => cancel() } satisfies MemoryRepairs;
}
