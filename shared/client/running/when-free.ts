/** Has an approved call wait where other calls of its tool are all that stands against it. */
import type { RedeemAnswer } from '../../contract/execution.ts';
import type { Permit } from '../../contract/permit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Lines } from '../exchange/lines.ts';
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
  /** Absent for a call that would wait for itself. Others wait where their tool takes fewer at a time, or fewer a second. */
  readonly waits?: Waits | undefined;
  /** Whether the program names its calls, and so can make one again under its id. */
  readonly isNamed: boolean;
}

/** How long a call may wait for its tool, and behind which others. */
interface Waits {
  readonly until: AbortSignal;
  readonly lines: Lines;
  /** Names the line of the tool. */
  readonly line: string;
  /** Milliseconds since 1970: the end of the time that the caller has for the call. */
  readonly endsAt: number;
}

/** Milliseconds between two attempts. */
const BUSY_MS = 500;
/** A longer time until the tool's rate admits a call is told: the model, or the program, may have better to do. */
const MAX_RATE_WAIT_MS = 60_000;

/**
 * Redeems again while nothing but other calls stands against it, until the permit expires or the caller's time is over. People who approved the
 * calls of a turn approved them at the same moment: a refusal would have them asked again. Of the calls of one client that wait for the same
 * tool, only the one that waited longest comes again. @throws the signal's reason
 */
export async function whenFree(
  redeem: () => Promise<RedeemAnswer>,
  { expiresAt }: Pick<Permit, 'expiresAt'>,
  { until, lines, line, endsAt }: Waits,
  { clock, sleep }: Pick<Running, 'clock' | 'sleep'>,
): Promise<RedeemAnswer> {
  let answer = await redeem();
  const leftMs = () => Math.min(Date.parse(expiresAt), endsAt) - clock.now();
  const untilMs = leftMs();
  if (!isWithin(pauseAfter(answer, 0), untilMs)) return answer;
  await lines.inTurn(line, { untilMs, signal: until, sleep }, async (hasStood) => {
    // The call before it has just run or ended, and the tool may be free.
    if (hasStood) answer = await redeem();
    for (let limited = 0; ; ) {
      const pauseMs = pauseAfter(answer, limited);
      if (!isWithin(pauseMs, leftMs())) return;
      if (!isBusy(answer)) limited++;
      await sleep(pauseMs, until);
      until.throwIfAborted();
      answer = await redeem();
    }
  });
  return answer;
}

const isWithin = (pauseMs: number | undefined, leftMs: number): pauseMs is number =>
  pauseMs !== undefined && pauseMs < leftMs;

const isBusy = (answer: RedeemAnswer): boolean => !answer.granted && answer.error.code === 'ConcurrencyLimited';

/** Undefined for a permit that is gone, and for a refusal that does not pass by itself. */
function pauseAfter(answer: RedeemAnswer, limited: number): number | undefined {
  if (answer.granted || answer.permit !== 'usable') return undefined;
  if (isBusy(answer)) return BUSY_MS;
  const { code, details } = answer.error;
  const { retryAfterMs } = details;
  if (code !== 'RateLimited' || typeof retryAfterMs !== 'number' || retryAfterMs > MAX_RATE_WAIT_MS) return undefined;
  // Other processes may wait for the same rate, of which few pass each time: the others come more and more rarely.
  return retryAfterMs + BUSY_MS * limited;
}
