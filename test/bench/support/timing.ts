/**
 * Measures the time of one call in microseconds, on the wall and of the processor.
 *
 * Other work on the machine lengthens processor time less.
 */
import { quantile } from './stats.ts';

export interface Times {
  readonly p50: number;
  readonly p99: number;
  /** The mean of all runs: the kernel counts a thread's time too coarsely for a quantile. */
  readonly cpu: number;
}

/** Calls `run` for about `budgetMs` after a warm-up of a quarter of that, at least 30 times. */
export async function timesOf(run: () => unknown, budgetMs = 600): Promise<Times> {
  const ignore = async () => {
    await run();
  };
  await repeat(budgetMs / 4, ignore, 10);
  const wall: number[] = [];
  const before = process.cpuUsage();
  await repeat(
    budgetMs,
    async () => {
      const began = process.hrtime.bigint();
      const made = run();
      if (made instanceof Promise) await made;
      wall.push(Number(process.hrtime.bigint() - began) / 1000);
    },
    30,
  );
  const { user, system } = process.cpuUsage(before);
  return { p50: quantile(wall, 0.5), p99: quantile(wall, 0.99), cpu: (user + system) / wall.length };
}

async function repeat(budgetMs: number, each: () => Promise<void>, least: number): Promise<void> {
  const end = performance.now() + budgetMs;
  for (let done = 0; done < least || (performance.now() < end && done < 20_000); done++) await each();
}

export const micros = (value: number): string => (value < 100 ? value.toFixed(1) : value.toFixed(0));
