/** Simulates a clock in virtual time that knows how many of its timers are still to fire. */
import { FakeClock } from '../../../shared/testing/fake-clock.ts';

export class CountingClock extends FakeClock {
  #waiting = 0;

  /** Timers that were set, and neither fired nor called off. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Nothing here waits for input or output: a whole turn of the event loop for each timer would be most of what an idle minute takes. */
  protected override settle(): Promise<void> {
    return new Promise((resolve) => process.nextTick(resolve));
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
