/** Takes ports of a gate in memory out of service for a time, as AWS and Slack may be. */
import type { World } from './world.ts';

interface Outage {
  /** Names of ports, such as `cards`, or of one method, such as `cards.refresh`. */
  readonly ports: readonly string[];
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

export class Outages {
  readonly #world: () => World;
  readonly planned: Outage[] = [];

  constructor(world: () => World) {
    this.#world = world;
  }

  /** From now on. */
  begin(ports: readonly string[], ms: number): void {
    const from = this.#world().clock.now();
    this.planned.push({ ports, from, until: from + ms });
  }

  isDown(name: string): boolean {
    const now = this.#world().clock.now();
    return this.planned.some(
      ({ ports, from, until }) =>
        now >= from && now < until && ports.some((port) => name === port || name.startsWith(`${port}.`)),
    );
  }

  readonly wrap = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        const call = `${name}.${String(key)}`;
        // The process's own memory, which no outage takes.
        if (call === 'rates.peek') return value.bind(target);
        return async (...args: unknown[]) => {
          if (this.isDown(call)) throw new Error(`${call}: out of service`);
          return value.apply(target, args);
        };
      },
    });
}
