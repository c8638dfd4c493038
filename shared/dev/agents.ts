/** Gives each agent of the policy file keys of this run alone, and finds the agent of a key. */
import { randomBytes } from 'node:crypto';
import type { AgentSide } from './endpoint/calls.ts';
import type { AgentKeys } from './endpoint/server.ts';

/** The agents of the policy file. */
export class Agents {
  readonly #sideOf: (agent: string) => AgentSide;
  readonly #keys = new Map<string, AgentKeys>();
  #names: readonly string[] = [];

  constructor(sideOf: (agent: string) => AgentSide) {
    this.#sideOf = sideOf;
  }

  names(): readonly string[] {
    return this.#names;
  }

  /** An agent that leaves the file and comes back has its former keys. */
  use(names: readonly string[]): void {
    this.#names = names;
    for (const name of names)
      if (!this.#keys.has(name))
        this.#keys.set(name, {
          accessKeyId: `DEV${randomBytes(10).toString('hex').toUpperCase()}`,
          secretAccessKey: randomBytes(30).toString('base64url'),
        });
  }

  keysOf(name: string): AgentKeys | undefined {
    return this.#keys.get(name);
  }

  byKey(keyId: string): { readonly secretAccessKey: string; readonly side: AgentSide } | undefined {
    const name = this.#names.find((each) => this.#keys.get(each)?.accessKeyId === keyId);
    const keys = name === undefined ? undefined : this.#keys.get(name);
    return name === undefined || !keys ? undefined : { ...keys, side: this.#sideOf(name) };
  }
}
