/** Simulates a clock in virtual time that knows how many of its timers are still to fire. */
import { FakeClock } from '../../../shared/testing/fake-clock.ts';

/** Lets all promises go on until none has anything left to do, as Node does between two turns. Node's types do not name it. */
const goOn = (process as unknown as { readonly _tickCallback: () => void })._tickCallback;

export class CountingClock extends FakeClock {
  #waiting = 0;

  /** Timers that were set, and neither fired nor called off. */
  get waiting(): number {
    return this.#waiting;
  }

  /** In a turn of its own: within a promise's, no other promise goes on. */
  override advance(ms: number): Promise<void> {
    return new Promise((resolve, reject) => process.nextTick(() => super.advance(ms).then(resolve, reject)));
  }

  /** Nothing here waits for input or output, and seventy timers fire in a run: a turn for each would cost thirty times as much. */
  protected override settle(): undefined {
    goOn();
  }

  override after(ms: number, work: () => void): () => void {
    let isWaiting = true;
    const end = () => {
      if (isWaiting) this.#waiting -= 1;
      isWaiting = false;
    };
    this.#waiting += 1;
    const callOff = super.after(ms, () => {
      end();
      work();
    });
    return () => {
      end();
      callOff();
    };
  }
}
