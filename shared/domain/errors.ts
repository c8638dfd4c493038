/** Words the faults of a message, so that they may be shown to its sender. */

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
  override name: string;
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = 'CountersignError';
  }
}

export const fault = (code: string, field: string, problem: string): Fault => ({
  code,
  field,
  message: field ? `${field}: ${problem}` : problem,
});
