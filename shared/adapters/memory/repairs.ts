/** Runs the reconciler of a gate in memory: each minute, as deployed, or when it is called. */
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import { endAbandoned } from '../../use-cases/reconcile/end-abandoned.ts';
import { type ReconcileDependencies, type Repaired, reconcile } from '../../use-cases/reconcile/reconcile.ts';

interface MemoryRepairs {
  run(): Promise<Repaired>;
  /** There is another policy file: questions that wait may have lost the people who could answer them. */
  noteNewPolicy(): void;
  stop(): void;
}

interface RepairOptions {
  readonly deps: ReconcileDependencies;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Questions without a decision. */
  waiting(): readonly string[];
  /** Whether processes with several policy files are at work at once. */
  readonly hasProcesses: boolean;
  /** 0: only when it is called. */
  readonly everyMs: number;
  /** Most rounds would find no row. */
  mayFindRows(): boolean;
  invoke(work: () => Promise<Repaired>): Promise<Repaired>;
  onFault(error: unknown): void;
}

/** As `reconcile` has when it is deployed. */
const RECONCILE_MS = 40_000;
/** Longer than a young question is left alone, because a process with another policy file may have asked it. */
const AFTER_NEW_POLICY_MS = 20 * 60_000;

export function memoryRepairs(options: RepairOptions): MemoryRepairs {
  const { deps, clock, timers, everyMs, invoke, onFault } = options;
  let policySince = clock.now();
  let isNewUntil = 0;
  const isNew = () => clock.now() < isNewUntil;
  let cancel: () => void = () => undefined;
  const run = () =>
    invoke(async () => {
      const repaired = await reconcile(deps, clock.now() + RECONCILE_MS);
      const ending = Object.create(deps, { policySince: { value: options.hasProcesses ? 0 : policySince } });
      const unended = isNew() ? await endAbandoned({ lost: options.waiting(), listed: [] }, ending) : [];
      for (const { error } of [...repaired.failed, ...unended]) onFault(error);
      if (repaired.listFault !== undefined) throw repaired.listFault;
      return repaired;
    });
  const tick = () => {
    cancel = timers.after(everyMs, () => {
      if (options.mayFindRows() || (isNew() && options.waiting().length)) run().catch(onFault);
      tick();
    });
  };
  if (everyMs > 0) tick();
  return {
    run,
    noteNewPolicy() {
      policySince = clock.now();
      isNewUntil = policySince + AFTER_NEW_POLICY_MS;
    },
    stop: () => cancel(),
  };
}
