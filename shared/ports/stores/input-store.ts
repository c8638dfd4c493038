/** Stores texts that are too large for a row once, under their digest. */
import { CountersignError } from '../../domain/errors.ts';

/** The input was kept and is not there any more, or is not what its digest says: asking again does not help. */
export class InputGoneError extends CountersignError {
  override readonly name = 'InputGoneError';
  constructor(cause?: unknown) {
    super('input_gone', 'a kept input is missing, or is not what its digest says', { cause });
  }
}

/**
 * `input`: of use while its approval waits. `record`: named by an entry of the record, and stored as long. `shown`: the same, of what people
 * saw, so that the function that Slack calls can write no other text.
 */
export type TextKind = 'input' | 'record' | 'shown';

export interface InputStore {
  /** Keeps `text`; kept twice is kept once. */
  put(digest: string, text: string, kind?: TextKind): Promise<void>;
  /** @throws InputGoneError if it is missing or is not what the digest says. */
  get(digest: string, kind?: TextKind): Promise<string>;
}
