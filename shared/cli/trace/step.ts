/** Defines a line of a trace: what one source has of a proposal at one time. */
export interface Step {
  /** ISO 8601. */
  readonly at: string;
  readonly source: 'record' | 'approval' | 'card' | 'dead letter' | 'workflow' | 'queue' | `log ${string}`;
  readonly what: string;
  readonly detail: string;
  /** The decision that a line of a log names, or several, where no proposal that was looked for is known to be meant. */
  readonly pid?: unknown;
}

/** A proposal that the id may mean. */
export interface Candidate {
  readonly agent: string;
  readonly proposalId?: string;
  readonly pid: string;
}

export interface TracedDecision {
  /** Undefined where there are lines of logs alone, and none is of a decision that was looked for. */
  readonly candidate: Candidate | undefined;
  /** Decisions that those lines are of. */
  readonly pids?: ReadonlySet<unknown> | undefined;
  /** The oldest first. */
  readonly steps: readonly Step[];
}
