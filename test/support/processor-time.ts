/** Measures the processor time of a piece of work, which other work hardly makes longer. */

/** In milliseconds, of this whole process. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000;
}
