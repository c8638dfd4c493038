/** Stores permits in use, each change by one conditional write. An unused permit has no row. */
import type { Effect, ErrorCategory } from '../../contract/primitives.ts';

/**
 * `taken`: a process is about to run the call. `begun`: the tool may have been called, so that the permit is spent. `ended`: the outcome is
 * known. `free`: the permit was taken, and the call never began.
 */
type PermitStage = 'taken' | 'begun' | 'ended' | 'free';

export interface EndedCall {
  readonly status: 'succeeded' | 'failed' | 'unknown';
  readonly startedAt: string;
  readonly durationMs: number;
  readonly cost?: number | undefined;
  readonly errorCode?: string | undefined;
  /** The category that the process which ran the call stated. */
  readonly errorCategory?: ErrorCategory | undefined;
  /** Without secrets. */
  readonly errorMessage?: string | undefined;
  /** False: the time for a report ran out, and no report came. */
  readonly reported: boolean;
}

export interface HeldPermit {
  readonly pid: string;
  readonly callId: string;
  readonly agent: string;
  readonly proposalId: string;
  readonly permitId: string;
  /** The holder of the permit: one run of one process. */
  readonly redemptionId: string;
  /** The gate runs the call itself, and answers under this id. */
  readonly requestId?: string | undefined;
  /** Only a report that names the redemption counts. */
  readonly reporter?: 'redeemer' | undefined;
  /** Keyed digest of the action. */
  readonly auditDigest: string;
  readonly toolName: string;
  readonly effect: Effect;
  /** People approved the call, so that the threads of its cards get the outcome. */
  readonly byPeople?: true | undefined;
  readonly stage: PermitStage;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
  readonly reportBy: number;
  /** The call's share of the limiters, as plain data; only where another process ends the call. */
  readonly ticket?: unknown;
  readonly ended?: EndedCall | undefined;
  /** Everybody was told of the end. */
  readonly told?: true | undefined;
}

/** A permit whose time for a look of the reconciler has come. */
export interface DuePermit extends Pick<HeldPermit, 'pid' | 'callId'> {
  readonly dueAt: number;
  /** How many looks in a row could not read it. */
  readonly failures: number;
}

export interface PermitStore {
  /** Consistent. */
  read(pid: string, callId: string): Promise<HeldPermit | undefined>;
  /** Takes a permit that is unused or free. Undefined: taken; otherwise the row that is in the way. The reconciler looks at `dueAt`. */
  take(permit: HeldPermit, dueAt: number): Promise<HeldPermit | undefined>;
  /**
   * Replaces the row of the same redemption if it is at the stage `from`; false otherwise. Without `dueAt` the reconciler looks at it no
   * more.
   */
  move(next: HeldPermit, from: PermitStage, dueAt?: number): Promise<boolean>;
  /** Permits that are due, the oldest first; with the same parameters as those of approvals. */
  due(now: number, limit: number, after?: DuePermit, onFault?: (fault: unknown) => void): Promise<readonly DuePermit[]>;
  /** Sets when the reconciler looks next, and how many looks failed. Does nothing to a permit that is due no more. */
  setBack(pid: string, callId: string, dueAt: number, failures: number): Promise<void>;
  /** Takes the permit off the list of due permits. */
  dropDue(pid: string, callId: string): Promise<void>;
}
