/** Bounds the work that one command may cause: all its readers spend from one budget. */

/** A step is a character, word or statement that is looked at; it takes about a microsecond at most. */
export const MAX_STEPS = 80_000;
export const TOO_MUCH_WORK = 'it makes too much to look at';

export class WorkBudget {
  #spent = 0;

  /** False once the budget is used up: the caller stops, and the command is in doubt. */
  spend(steps: number): boolean {
    if (!this.usedUp) this.#spent += steps;
    return !this.usedUp;
  }

  get spent(): number {
    return this.#spent;
  }

  get usedUp(): boolean {
    return this.#spent > MAX_STEPS;
  }
}

/** Commands within commands that are looked at. */
export const MAX_DEPTH = 8;
