/**
 * Limits rates by one number (GCRA): the time at which the bucket would be full again.
 * Integers of microseconds only.
 */

export interface GcraLimit {
  /** Time that one token takes to refill. Rounded up, so that the stated rate is never exceeded. */
  readonly intervalUs: number;
  readonly burst: number;
  /** A call that rounding has made late by no more than this is on time. */
  readonly slackUs: number;
}

type GcraDecision =
  | { readonly admitted: true; readonly fullAtUs: number }
  | { readonly admitted: false; readonly retryAfterMs: number | undefined };

/** Throws `RangeError` for a rate or burst that is no number to count with. */
export function gcraLimit(ratePerSecond: number, burst: number): GcraLimit {
  if (!Number.isFinite(ratePerSecond) || ratePerSecond <= 0) throw new RangeError('ratePerSecond must be above 0');
  if (!Number.isSafeInteger(burst) || burst < 0) throw new RangeError('burst must be a whole number of at least 0');
  const intervalUs = Math.ceil(1e6 / ratePerSecond);
  if (!Number.isSafeInteger(intervalUs)) throw new RangeError('ratePerSecond is too small to count with');
  return { intervalUs, burst, slackUs: slackOf(ratePerSecond, burst, intervalUs) };
}

/**
 * The microseconds by which a call may be early. Intervals are rounded up, so that a bucket of 3 a second would hold only two again after a
 * second. The slack makes up for this lateness of a whole bucket, and for no more. On a clock of whole milliseconds, a call that is early at all
 * is early by at least 1/rate ms. The slack is less than that, so that no call is admitted which the exact bucket would refuse.
 */
function slackOf(ratePerSecond: number, burst: number, intervalUs: number): number {
  if (!Number.isInteger(ratePerSecond)) return 0;
  const lateUs = Math.round(burst * (intervalUs - 1e6 / ratePerSecond));
  return Math.max(0, Math.min(lateUs, Math.floor(1000 / ratePerSecond) - 1));
}

/** Takes one token at `nowMs` from a bucket that is full again at `fullAtUs` (absent: full). */
export function takeToken(fullAtUs: number | undefined, nowMs: number, limit: GcraLimit): GcraDecision {
  const nowUs = microseconds(nowMs);
  const next = missingFrom(fullAtUs, nowUs, limit) + limit.intervalUs;
  const tooEarlyUs = next - nowUs - limit.burst * limit.intervalUs - limit.slackUs;
  if (tooEarlyUs <= 0) return { admitted: true, fullAtUs: next };
  return { admitted: false, retryAfterMs: limit.burst === 0 ? undefined : Math.ceil(tooEarlyUs / 1000) };
}

/** From when the tokens that are taken now are missing: a bucket that is full begins to refill now. */
function missingFrom(fullAtUs: number | undefined, nowUs: number, { slackUs }: GcraLimit): number {
  return fullAtUs === undefined || fullAtUs <= nowUs + slackUs ? nowUs : fullAtUs;
}

type GcraBooking =
  | { readonly booked: true; readonly fullAtUs: number; readonly waitsMs: readonly number[] }
  | { readonly booked: false };

/** Takes tokens that may still have to refill, if the last of them does within `withinMs`: for each, how long that takes. */
export function bookTokens(
  fullAtUs: number | undefined,
  nowMs: number,
  limit: GcraLimit,
  count: number,
  withinMs: number,
): GcraBooking {
  const nowUs = microseconds(nowMs);
  const next = missingFrom(fullAtUs, nowUs, limit) + count * limit.intervalUs;
  const waitsMs = waitsOf(next, nowMs, limit, count);
  return (waitsMs.at(-1) ?? 0) <= withinMs ? { booked: true, fullAtUs: next, waitsMs } : { booked: false };
}

/** Tells how long each of the last tokens taken takes to refill, in milliseconds; 0 for a token that is there already. */
export function waitsOf(
  fullAtUs: number,
  nowMs: number,
  { intervalUs, burst, slackUs }: GcraLimit,
  count: number,
): number[] {
  const last = fullAtUs - microseconds(nowMs) - burst * intervalUs - slackUs;
  return Array.from({ length: count }, (_, index) =>
    Math.max(0, Math.ceil((last - (count - 1 - index) * intervalUs) / 1000)),
  );
}

/** Whole tokens in the bucket. */
export function tokensLeft(fullAtUs: number | undefined, nowMs: number, limit: GcraLimit): number {
  const missingUs = Math.max(0, (fullAtUs ?? 0) - microseconds(nowMs) - limit.slackUs);
  return Math.max(0, Math.floor(limit.burst - missingUs / limit.intervalUs));
}

export const microseconds = (ms: number): number => Math.round(ms * 1000);
