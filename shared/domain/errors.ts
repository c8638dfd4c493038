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

/** Marks the errors of this package. Two copies of the package, which a bundler may leave, share it. */
const ERROR_MARK = Symbol.for('countersign.error');

/**
 * Base of the errors that this package throws on purpose. `code` is stable; the message names the problem and may be shown to a model.
 *
 * @example
 * try {
 *   await refund({ orderId: 'o-1', amount: 25 });
 * } catch (error) {
 *   if (!isCountersignError(error)) throw error;
 *   console.log(error.code, error.message);
 * }
 */
export class CountersignError<Code extends string = string> extends Error {
  override name: string;
  readonly code: Code;
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = 'CountersignError';
    // Not a field: whatever prints or compares an error should not see it.
    Object.defineProperty(this, ERROR_MARK, { value: true });
  }
}

/** Whether `error` is one of this package, also if another copy of the package threw it, which `instanceof` does not recognise. */
export function isCountersignError(error: unknown): error is CountersignError {
  return error instanceof Error && (error as { readonly [ERROR_MARK]?: unknown })[ERROR_MARK] === true;
}

/** A setting that is missing or wrong. The message begins with its name, and tells where its value comes from. */
export class InvalidSettingError extends CountersignError<'invalid_setting'> {
  override readonly name = 'InvalidSettingError';
  /** Name of the setting, as in `queueUrl` or `timeout`. */
  readonly setting: string;
  constructor(setting: string, problem: string) {
    super('invalid_setting', `${setting}: ${problem}`);
    this.setting = setting;
  }
}

export const fault = (code: string, field: string, problem: string): Fault => ({
  code,
  field,
  message: field ? `${field}: ${problem}` : problem,
});
