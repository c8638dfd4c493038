/** Reads a time as people type it: `2026-12-01`, `2026-12-01T09:30:00Z`, or a duration such as `30m`. */

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,5})(s|m|h|d)$/;
const DATE = /^(\d{4}-\d\d-\d\d)(T.*)?$/;
const ZONE = /(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970, or undefined for what is no time. A date alone is its beginning; a time that names no zone is in UTC. */
export function parseInstant(text: string, now: number): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now + Number(count) * UNITS[unit as keyof typeof UNITS];
  const [, date, time] = DATE.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return undefined;
  const at = Date.parse(time === undefined || ZONE.test(time) ? text : `${text}Z`);
  return Number.isFinite(at) ? at : undefined;
}

/** `Date.parse` reads 31 February as 3 March. */
function isDate(date: string): boolean {
  const at = Date.parse(date);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(date);
}
