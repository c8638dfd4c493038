/** Races another channel against a deadline: who does not answer in time has timed out. */

import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import { type ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';

/** Starts a timer; the returned function stops it. */
export type Timer = (callback: () => void, delayMs: number) => () => void;

const systemTimer: Timer = (callback, delayMs) => {
  const handle = setTimeout(callback, delayMs);
  return () => clearTimeout(handle);
};

/** The longest delay that setTimeout takes; beyond it, it would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** `timeoutMs` from 0 to 2^31 − 1, else a RangeError; then the answer is `timeout`, and a later one goes unheard. */
export class DeadlineApprovalChannel implements ApprovalChannel {
  readonly #inner: ApprovalChannel;
  readonly #timeoutMs: number;
  readonly #timer: Timer;

  constructor(inner: ApprovalChannel, timeoutMs: number, timer: Timer = systemTimer) {
    if (!(timeoutMs >= 0 && timeoutMs <= MAX_DELAY_MS)) {
      throw new RangeError(`timeoutMs must be between 0 and ${MAX_DELAY_MS}`);
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
    let stop = () => {};
    const over = new AbortController();
    const deadline = new Promise<ApprovalResult>((resolve) => {
      stop = this.#timer(() => {
        resolve(ApprovalResult.Timeout);
        over.abort();
      }, this.#timeoutMs);
    });
    const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    try {
      return await Promise.race([this.#inner.requestApproval(proposed, actionSpace, snapshot, either), deadline]);
    } finally {
      stop();
    }
  }
}
