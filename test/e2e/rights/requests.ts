/** Reads what the endpoint logged of requests since a play of a test began. */
import { existsSync, readFileSync } from 'node:fs';
import { e2eGate } from '../gate.ts';
import type { Taken } from './proof.ts';
import { isStatementOf, type Logged, THIEF } from './used.ts';

export class Requests {
  readonly #log: string;
  readonly #from: number;

  static async sinceNow(log: string): Promise<Requests> {
    const { endpoint } = await e2eGate();
    return new Requests(`${log}.${endpoint.pid}`);
  }

  private constructor(log: string) {
    this.#log = log;
    this.#from = bytesOf(log).length;
  }

  /** Asked for what the statement allows, and got it. */
  hasUse({ of }: Taken): boolean {
    return this.#lines().some((line) => line.decision === 'Allow' && of.some((one) => isStatementOf(line, one)));
  }

  hasRefusal({ of, actions }: Taken): boolean {
    return this.#lines().some(
      (line) =>
        line.decision !== 'Allow' && of.some(({ role }) => line.role.includes(role)) && actions.includes(line.action),
    );
  }

  /** Whole lines of a log that is being written. */
  #lines(): readonly Logged[] {
    const lines = bytesOf(this.#log).subarray(this.#from).toString().split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Logged).filter(({ session }) => session !== THIEF);
  }
}

const bytesOf = (log: string): Buffer => (existsSync(log) ? readFileSync(log) : Buffer.alloc(0));
