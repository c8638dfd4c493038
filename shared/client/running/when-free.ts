/** Waits until a tool that is busy with other calls of the same run takes the next one. */
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
  /** Other calls of the run may begin at the same moment: the call waits where a tool takes fewer at a time. */
  readonly isOneOfSeveral?: boolean;
}

/** Milliseconds between two attempts. */
const BUSY_MS = 500;

/** Redeems again while nothing but calls that run stands against it, and until the permit expires. @throws the signal's reason */
export async function whenFree(
  redeem: () => Promise<RedeemAnswer>,
  { expiresAt }: Permit,
  signal: AbortSignal | undefined,
  { clock, sleep }: Pick<Running, 'clock' | 'sleep'>,
): Promise<RedeemAnswer> {
  let answer = await redeem();
  while (isBusy(answer) && clock.now() < Date.parse(expiresAt)) {
    await sleep(BUSY_MS, signal);
    signal?.throwIfAborted();
    answer = await redeem();
  }
  return answer;
}

/** A refusal that left the permit as it was. */
const isBusy = (answer: RedeemAnswer): boolean =>
  !answer.granted && answer.permit === 'usable' && answer.error.code === 'ConcurrencyLimited';
