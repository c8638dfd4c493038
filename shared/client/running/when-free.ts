/** Has an approved call wait where other calls of the same run are all that stands against it. */
import type { RedeemAnswer } from '../../contract/execution.ts';
import type { Permit } from '../../contract/permit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fallback } from './refused-run.ts';

export interface Running {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** How a call runs under its permit. */
export interface RunOptions<Output> {
  readonly signal: AbortSignal | undefined;
  readonly fallback: Fallback<Output> | undefined;
  /**
   * Present where other calls of the run may begin at the same moment: the call waits until then where a tool takes fewer at a time, or fewer a
   * second.
   */
  readonly waitsUntil?: AbortSignal | undefined;
}

/** Milliseconds between two attempts. */
const BUSY_MS = 500;
/** A longer time until the tool's rate admits a call is told: the model, or the program, may have better to do. */
const MAX_RATE_WAIT_MS = 60_000;

/**
 * Redeems again while nothing but other calls stands against it, and until the permit expires. People who approved the calls of a turn approved
 * them at the same moment: a refusal would have them asked again. @throws the signal's reason
 */
export async function whenFree(
  redeem: () => Promise<RedeemAnswer>,
  { expiresAt }: Permit,
  signal: AbortSignal,
  { clock, sleep }: Pick<Running, 'clock' | 'sleep'>,
): Promise<RedeemAnswer> {
  for (let attempt = 0; ; attempt++) {
    const answer = await redeem();
    const pauseMs = pauseAfter(answer, attempt);
    if (pauseMs === undefined || clock.now() + pauseMs >= Date.parse(expiresAt)) return answer;
    await sleep(pauseMs, signal);
    signal.throwIfAborted();
  }
}

/** Undefined for a permit that is gone, and for a refusal that does not pass by itself. */
function pauseAfter(answer: RedeemAnswer, attempt: number): number | undefined {
  if (answer.granted || answer.permit !== 'usable') return undefined;
  const { code, details } = answer.error;
  if (code === 'ConcurrencyLimited') return BUSY_MS;
  const { retryAfterMs } = details;
  if (code !== 'RateLimited' || typeof retryAfterMs !== 'number' || retryAfterMs > MAX_RATE_WAIT_MS) return undefined;
  // Few of many calls that wait for the same rate pass each time: the others come more and more rarely.
  return retryAfterMs + BUSY_MS * attempt;
}
