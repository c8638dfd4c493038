/** Runs steps at once, of which the first to fail ends the others. */

/**
 * @param start begins the steps; each ends soon after its signal
 * @throws what the first step to fail threw, when all have ended
 */
export async function sideBySide(start: (signal: AbortSignal) => unknown[], outer?: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const signal = outer ? AbortSignal.any([outer, failed.signal]) : failed.signal;
  const steps = start(signal).map(async (step) => step);
  try {
    await Promise.all(steps);
  } catch (error) {
    failed.abort();
    await Promise.allSettled(steps);
    throw error;
  }
}
