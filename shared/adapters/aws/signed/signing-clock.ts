/** Keeps the time of signatures: the service's, where this machine's clock is far off. */

/** The service allows five minutes; the SDK's bound. */
const MAX_SKEW_MS = 240_000;

export class SigningClock {
  /** The service's time less this machine's. */
  #offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }

  /** Whether the answer of this date shows that the request was signed with a wrong time, which is corrected now. */
  learn(date: string | undefined, sentAt: number): boolean {
    const stated = date === undefined ? Number.NaN : Date.parse(date);
    const heardAt = Date.now();
    if (Number.isNaN(stated) || heardAt - sentAt > MAX_SKEW_MS) return false;
    const offset = stated - heardAt;
    const isNew = Math.abs(offset - this.#offsetMs) >= MAX_SKEW_MS;
    this.#offsetMs = Math.abs(offset) >= MAX_SKEW_MS ? offset : 0;
    return isNew;
  }
}
