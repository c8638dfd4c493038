/** What can be wrong with a message, in words that may be shown to its sender. */

/** A fault of the sender's making: answered with `error`, audited, never retried. */
export interface Fault {
  /** Stable, in snake case: what agents switch on. */
  readonly code: string;
  /** Where in the message, as in `calls[0].input.path`; empty for the message as a whole. */
  readonly field: string;
  /** Names the field and the problem of its value; holds no secret and no foreign id. */
  readonly message: string;
}

/** Base of the errors that this package throws on purpose; `code` is stable. */
export class CountersignError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** Raised when a state change was refused because somebody else changed the row first (A7). */
export class VersionConflictError extends CountersignError {
  constructor(what: string) {
    super('version_conflict', `${what} was changed by somebody else at the same time`);
  }
}

export const fault = (code: string, field: string, problem: string): Fault => ({
  code,
  field,
  message: field ? `${field}: ${problem}` : problem,
});
