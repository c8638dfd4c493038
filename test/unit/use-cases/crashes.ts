/**
 * Lets the n-th call of any port fail, before or after its effect.
 *
 * The failure is a fault of that call, or the end of every process at that moment.
 */
import type { FakeClock } from '../../../shared/testing/fake-clock.ts';

export interface Failure {
  /** Counted from 1. */
  readonly at: number;
  readonly when: 'before' | 'after';
  /** `fault`: the call throws and its caller goes on. `crash`: nothing that runs at this instant gets any further. */
  readonly kind: 'fault' | 'crash';
}

/** A process that ends after its call is where it would be if it ended before the next one, where that comes at the same instant. */
export const isAsBeforeNext = ({ at, when, kind }: Failure, instants: readonly number[]): boolean =>
  kind === 'crash' && when === 'after' && at < instants.length && instants[at] === instants[at - 1];

export class Failing {
  calls = 0;
  /** When each call was made. */
  readonly instants: number[] = [];
  /** The call that failed, for the name of a broken case. */
  hit: string | undefined;
  readonly #failure: Failure | undefined;
  readonly #clock: () => FakeClock;
  #downAt: number | undefined;

  constructor(failure: Failure | undefined, clock: () => FakeClock) {
    this.#failure = failure;
    this.#clock = clock;
  }

  readonly wrap = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        // The process's own memory: it waits for nothing.
        if (name === 'rates' && key === 'peek') return value.bind(target);
        return (...args: unknown[]) => this.#call(`${name}.${String(key)}`, () => value.apply(target, args));
      },
    });

  async #call(name: string, effect: () => unknown): Promise<unknown> {
    const now = this.#clock().now();
    if (this.#downAt === now) throw new Error(`${name}: the process is gone`);
    this.calls += 1;
    this.instants.push(now);
    const failure = this.calls === this.#failure?.at ? this.#failure : undefined;
    if (!failure) return effect();
    this.hit = `${failure.kind} ${failure.when} ${name}`;
    if (failure.when === 'after') await effect();
    if (failure.kind === 'crash') this.#downAt = now;
    throw new Error(this.hit);
  }
}
