/** Computes quantiles of a few dozen samples. */

/** The smallest sample that at least this share of the samples does not exceed (nearest rank). */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Says most where others use the machine too. */
export const best = (samples: readonly number[]): number => Math.min(...samples);
export const median = (samples: readonly number[]): number => quantile(samples, 0.5);
export const p95 = (samples: readonly number[]): number => quantile(samples, 0.95);
export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
