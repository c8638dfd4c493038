/** Finds the aliases of people, makes those that are missing, and tells whose an alias is. */
import { type AliasKey, aliasOf } from '../../domain/record/alias.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AliasStore } from '../../ports/stores/alias-store.ts';

interface AliasDependencies {
  readonly aliases: AliasStore;
  readonly clock: Clock;
  /** 32 random bytes, in hex. */
  newSecret(): string;
}

/** A process knows a secret for so long after it was destroyed. */
const REMEMBERED_MS = 5 * 60_000;
/** People whom a process remembers. */
const MAX_REMEMBERED = 1_000;

export class PeopleAliases {
  readonly #deps: AliasDependencies;
  readonly #known = new Map<string, { readonly key: AliasKey; readonly until: number }>();

  constructor(deps: AliasDependencies) {
    this.#deps = deps;
  }

  /** Secrets by Slack id or by alias; a name without one has none. */
  async keysOf(names: readonly string[]): Promise<ReadonlyMap<string, AliasKey>> {
    const now = this.#deps.clock.now();
    const keys = new Map<string, AliasKey>();
    const unknown: string[] = [];
    for (const name of new Set(names)) {
      const known = this.#known.get(name);
      if (known && now < known.until) keys.set(name, known.key);
      else unknown.push(name);
    }
    if (!unknown.length) return keys;
    for (const [name, key] of await this.#deps.aliases.read(unknown)) {
      this.#remember(key);
      keys.set(name, key);
    }
    return keys;
  }

  /**
   * Secrets of these people by their Slack ids: those of `lasting` are made where they have none. Anybody else without one gets a secret that
   * nobody stores: their alias is nobody's.
   */
  async keysFor(people: readonly string[], lasting: (user: string) => boolean): Promise<ReadonlyMap<string, AliasKey>> {
    const found = new Map(await this.keysOf(people));
    for (const user of people)
      if (!found.has(user)) found.set(user, lasting(user) ? await this.#made(user) : this.#fresh(user));
    return found;
  }

  /** No later than a process that remembers it lets go of it. */
  async destroy(key: AliasKey): Promise<void> {
    await this.#deps.aliases.destroy(key);
    this.#known.delete(key.user);
    this.#known.delete(aliasOf(key));
  }

  #fresh = (user: string): AliasKey => ({ user, secret: this.#deps.newSecret() });

  async #made(user: string): Promise<AliasKey> {
    const key = this.#fresh(user);
    if (await this.#deps.aliases.put(key)) {
      this.#remember(key);
      return key;
    }
    // Another process was faster: its secret holds.
    const theirs = (await this.#deps.aliases.read([user])).get(user);
    if (!theirs) throw new Error('the secret of an alias was written and destroyed at once');
    this.#remember(theirs);
    return theirs;
  }

  #remember(key: AliasKey): void {
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    const held = { key, until: this.#deps.clock.now() + REMEMBERED_MS };
    this.#known.set(key.user, held).set(aliasOf(key), held);
  }
}
