/** Remembers answers of the classifier's model, so that asking again brings no other. */

export interface ModelAnswer {
  readonly shouldBlock: boolean;
  readonly reason: string;
  readonly confidence: number;
}

export interface ModelAnswerStore {
  /** Consistent. By key; an answer whose time is over at `now` (milliseconds) is none, whatever the table still holds. */
  read(keys: readonly string[], now: number): Promise<ReadonlyMap<string, ModelAnswer>>;
  /** The first answer stands until its time is over: gives the one that stands. */
  remember(key: string, answer: ModelAnswer, now: number, expiresAt: number): Promise<ModelAnswer>;
}
