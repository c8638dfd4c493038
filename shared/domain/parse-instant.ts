/** Reads a time as people type it: `2026-12-01`, `2026-12-01T09:30:00Z`, or a duration such as `30m`. */

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,5})(s|m|h|d)$/;
const DATE = /^\d{4}-\d\d-\d\d(T.*)?$/;

/** Milliseconds since 1970, or undefined for what is no time. A date without a time of day is its beginning in UTC. */
export function parseInstant(text: string, now: number): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now + Number(count) * UNITS[unit as keyof typeof UNITS];
  const at = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}
