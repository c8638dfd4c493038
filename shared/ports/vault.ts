/** Stores sealed originals with secrets: only functions that run or decide the call read them. */

/** The binding of a sealed text: under another proposal or another digest it does not open. */
export interface SealKey {
  readonly pid: string;
  /** Keyed digest of what the proposal says. */
  readonly digest: string;
}

export interface Sealer {
  /** Keeps `text` until `until` (milliseconds since 1970). The same text sealed again changes nothing. */
  seal(key: SealKey, text: string, until: number): Promise<void>;
}

export interface Unsealer {
  /** Undefined once its time is over, whatever the store still has. @throws Error if it was sealed for another key, or changed since. */
  open(key: SealKey): Promise<string | undefined>;
}
