/** Stores permits in use, each change by one conditional write. An unused permit has no row. */
import type { Effect, ErrorCategory } from '../../contract/primitives.ts';

/**
 * `taken`: somebody is about to run it; `begun`: the tool may have been called, so that it is spent; `ended`: the outcome is known;
 * `free`: it was taken and never begun.
 */
export type PermitStage = 'taken' | 'begun' | 'ended' | 'free';

export interface EndedCall {
  readonly status: 'succeeded' | 'failed' | 'unknown';
  readonly startedAt: string;
  readonly durationMs: number;
  readonly cost?: number | undefined;
  readonly errorCode?: string | undefined;
  /** As whoever ran it called it. */
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
  /** People approved it: the threads of their cards are told what became of it. */
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

/** A permit that somebody has to look after. */
export interface DuePermit extends Pick<HeldPermit, 'pid' | 'callId'> {
  readonly dueAt: number;
  /** How often in a row it could not be read. */
  readonly failures: number;
}

export interface PermitStore {
  /** Consistent. */
  read(pid: string, callId: string): Promise<HeldPermit | undefined>;
  /** Takes a permit that is unused or free; otherwise the row that is in the way. The reconciler looks at it at `dueAt`. */
  take(permit: HeldPermit, dueAt: number): Promise<HeldPermit | undefined>;
  /**
   * Replaces the row of the same redemption if it is at the stage `from`; false otherwise. Without `dueAt` nobody has to look at it any
   * more.
   */
  move(next: HeldPermit, from: PermitStage, dueAt?: number): Promise<boolean>;
  /** Permits that are due, the oldest first; with the same parameters as those of approvals. */
  due(now: number, limit: number, after?: DuePermit, onFault?: (fault: unknown) => void): Promise<readonly DuePermit[]>;
  /** Sets by key when the reconciler looks next, and how often it could not be read; nothing for one that nobody looks after. */
  setBack(pid: string, callId: string, dueAt: number, failures: number): Promise<void>;
  /** Nobody has to look after this one any more. */
  dropDue(pid: string, callId: string): Promise<void>;
}
