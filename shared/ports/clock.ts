/** Declares where time and names come from, so that a run can be repeated. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

/** A new identifier on each call, ordered by time of creation (ULID). */
export interface Ids {
  next(): string;
}

export const systemClock: Clock = { now: () => Date.now() };
