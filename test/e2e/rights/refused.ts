/** Watches for refused requests of a statement that a test is run without. */
import { existsSync, readFileSync } from 'node:fs';
import { e2eGate } from '../gate.ts';
import { hopeless } from '../harness/until.ts';
import type { Taken } from './proof.ts';
import { type Logged, THIEF } from './used.ts';

/** A test waits for so long once it was refused what it needs: a way around the right is tried at once. */
const PATIENCE_MS = 8_000;
const LOOK_MS = 250;

/** Ends the waits of the test some time after the first refusal. */
export class Refused {
  readonly #log: string;
  readonly #from: number;
  readonly #taken: Taken;
  readonly #looking: NodeJS.Timeout;
  #since: number | undefined;

  static async watch(log: string, taken: Taken): Promise<Refused> {
    const { endpoint } = await e2eGate();
    return new Refused(`${log}.${endpoint.pid}`, taken);
  }

  private constructor(log: string, taken: Taken) {
    this.#log = log;
    this.#taken = taken;
    this.#from = linesOf(log).length;
    const control = new AbortController();
    hopeless.signal = control.signal;
    this.#looking = setInterval(() => {
      if (this.#since === undefined && this.isSeen()) this.#since = Date.now();
      if (this.#since !== undefined && Date.now() > this.#since + PATIENCE_MS)
        control.abort(new Error(`${taken.actions.join(', ')} was refused ${PATIENCE_MS / 1_000} s ago`));
    }, LOOK_MS);
  }

  isSeen(): boolean {
    const { of, actions } = this.#taken;
    return linesOf(this.#log)
      .slice(this.#from)
      .filter((line) => line.includes('Deny'))
      .map((line) => JSON.parse(line) as Logged)
      .some(
        (one) =>
          one.session !== THIEF && of.some(({ role }) => one.role.includes(role)) && actions.includes(one.action),
      );
  }

  stop(): void {
    clearInterval(this.#looking);
    hopeless.signal = undefined;
  }
}

/** Whole lines of a log that is being written. */
const linesOf = (log: string): string[] => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : []);
