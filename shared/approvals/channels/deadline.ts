/** Races another channel against a deadline: who does not answer in time has timed out. */

import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import { type ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';
import { MAX_TIMER_MS, systemTimers } from '../../ports/timers.ts';
import { LATE, withTimeout } from '../../ports/with-timeout.ts';

/** Starts a timer; the returned function stops it. */
export type Timer = (callback: () => void, delayMs: number) => () => void;

const systemTimer: Timer = (callback, delayMs) => systemTimers.after(delayMs, callback);

/**
 * `timeoutMs` from 0 to 2^31 − 1, else a RangeError; then the answer is `timeout`, and a later one goes unheard.
 *
 * @example
 * const patient = new DeadlineApprovalChannel(channel, 180_000);
 * console.log(await new HumanInTheLoopPolicy(new FirstAvailablePolicy(), patient, 180_000).choose(space, snapshot));
 */
export class DeadlineApprovalChannel implements ApprovalChannel {
  readonly #inner: ApprovalChannel;
  readonly #timeoutMs: number;
  readonly #timer: Timer;

  constructor(inner: ApprovalChannel, timeoutMs: number, timer: Timer = systemTimer) {
    if (!(timeoutMs >= 0 && timeoutMs <= MAX_TIMER_MS)) {
      throw new RangeError(`timeoutMs must be between 0 and ${MAX_TIMER_MS}`);
    }
    this.#inner = inner;
    this.#timeoutMs = timeoutMs;
    this.#timer = timer;
  }

  async requestApproval(
    proposed: Action,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    signal?: AbortSignal,
  ): Promise<ApprovalResult> {
    const result = await withTimeout(
      this.#timeoutMs,
      (ms, work) => this.#timer(work, ms),
      (over) =>
        this.#inner.requestApproval(proposed, actionSpace, snapshot, signal ? AbortSignal.any([signal, over]) : over),
    );
    return result === LATE ? ApprovalResult.Timeout : result;
  }
}
