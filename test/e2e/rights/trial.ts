/**
 * Orders the plays of a test: with everything, without each statement, and with everything again.
 *
 * A test that passes within its limit with everything before and after fails within the same limit without a statement
 * for the want of it alone.
 */
import type { Proof, Taken } from './proof.ts';

/** One run of the test. */
export interface Play {
  /** Undefined where nothing is taken away. */
  readonly taken: Taken | undefined;
  /** Later, the test has failed. */
  readonly limitMs: number;
}

export interface Played {
  readonly isPassed: boolean;
  /** Whether a request of the statement was refused. */
  readonly isRefused: boolean;
  readonly ms: number;
}

/** Only a hang takes longer with everything. */
const FIRST_LIMIT_MS = 120_000;
/** A test ends well within half as long again as the last time, give or take a start of a function. */
const limitAfter = (ms: number): number => Math.round(1.5 * ms) + 4_000;
/** A first play starts functions: of a test with so many statements a second one tells how long it takes. */
const MIN_FOR_SECOND = 3;
/** A failure without a statement counts once the test passes with all again: so many are lost where it does not. */
const MAX_UNCHECKED = 5;
/** A test that fails with everything so often says nothing. */
const MAX_FAILED_CHECKS = 2;

export class Trial {
  readonly #test: string;
  readonly #waiting: Taken[];
  readonly #unchecked: { readonly statement: string; readonly isRefused: boolean; readonly isPassed: boolean }[] = [];
  #limitMs: number | undefined;
  #isSecondDue = false;
  #failedChecks = 0;

  constructor(test: string, taken: readonly Taken[]) {
    this.#test = test;
    this.#waiting = [...taken];
  }

  /** More than `next` ever gives. */
  static maxPlays = (statements: number): number => 3 + statements + Math.ceil(statements / MAX_UNCHECKED);

  /** Undefined when nothing is left to play. `isLate` where time is over: what was found is checked still. */
  next(isLate: boolean): Play | undefined {
    if (this.#failedChecks === MAX_FAILED_CHECKS) return undefined;
    if (this.#limitMs === undefined) return isLate ? undefined : { taken: undefined, limitMs: FIRST_LIMIT_MS };
    if (this.#isSecondDue && !isLate) return { taken: undefined, limitMs: FIRST_LIMIT_MS };
    const isCheckDue = this.#unchecked.length >= MAX_UNCHECKED || isLate || !this.#waiting.length;
    if (isCheckDue) return this.#unchecked.length ? { taken: undefined, limitMs: this.#limitMs } : undefined;
    return { taken: this.#waiting.shift(), limitMs: this.#limitMs };
  }

  /**
   * Takes what became of a play of `next`.
   *
   * @param isUsed whether the test asked for anything of a statement when it was played with everything
   * @returns what is known since
   */
  ended({ taken }: Play, { isPassed, isRefused, ms }: Played, isUsed: (taken: Taken) => boolean): readonly Proof[] {
    if (taken) {
      this.#unchecked.push({ statement: taken.statement, isRefused, isPassed });
      return [];
    }
    const isFirst = this.#limitMs === undefined;
    if (isPassed) this.#limitMs = limitAfter(ms);
    else this.#failedChecks = isFirst ? MAX_FAILED_CHECKS : this.#failedChecks + 1;
    if (isFirst) return this.#leaveOut(isPassed, isUsed);
    this.#isSecondDue = false;
    return this.#unchecked
      .splice(0)
      .map(({ statement, ...without }) => ({ statement, test: this.#test, result: resultOf(without, isPassed) }));
  }

  #leaveOut(isPassed: boolean, isUsed: (taken: Taken) => boolean): readonly Proof[] {
    const left = this.#waiting.splice(0);
    const result = isPassed ? 'unused' : 'unclear';
    this.#waiting.push(...left.filter((taken) => isPassed && isUsed(taken)));
    this.#isSecondDue = this.#waiting.length >= MIN_FOR_SECOND;
    const isOut = ({ statement }: Taken) => !this.#waiting.some((one) => one.statement === statement);
    return left.filter(isOut).map(({ statement }) => ({ statement, test: this.#test, result }));
  }
}

/** `isWell`: whether the same test passes with every right. */
function resultOf(
  without: { readonly isPassed: boolean; readonly isRefused: boolean },
  isWell: boolean,
): Proof['result'] {
  if (without.isPassed) return without.isRefused ? 'unnoticed' : 'unused';
  return without.isRefused && isWell ? 'needed' : 'unclear';
}
