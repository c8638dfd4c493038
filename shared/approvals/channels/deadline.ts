/** Races another channel against a deadline: after it the answer is a time-out. */
import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import type { Duration } from '../../domain/duration.ts';
import { having } from '../../domain/settings.ts';
import { type ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';
import { systemTimers, waitMs } from '../../ports/timers.ts';
import { LATE, withTimeout } from '../../ports/with-timeout.ts';

/** Starts a timer; the returned function stops it. */
export type Timer = (callback: () => void, delayMs: number) => () => void;

const systemTimer: Timer = (callback, delayMs) => systemTimers.after(delayMs, callback);

/**
 * After `timeout` the answer is `timeout`, the channel inside is told to let go, and a later answer goes unheard.
 *
 * @example
 * const patient = new DeadlineApprovalChannel(channel, '3m');
 * console.log(await new HumanInTheLoopPolicy(new FirstAvailablePolicy(), patient, '3m').choose(space, snapshot));
 */
export class DeadlineApprovalChannel implements ApprovalChannel {
  readonly #inner: ApprovalChannel;
  readonly #timeoutMs: number;
  readonly #timer: Timer;

  /** @throws InvalidSettingError for a time-out that is none, and for more than 24 days */
  constructor(inner: ApprovalChannel, timeout: Duration, timer: Timer = systemTimer) {
    having('requestApproval')(inner, 'inner');
    this.#inner = inner;
    this.#timeoutMs = waitMs(timeout, 'timeout');
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
