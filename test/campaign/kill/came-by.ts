/** Finds out which scenes came by a point: a process is given something that names for whom it works. */
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { getOrAdd } from '../../../shared/adapters/memory/stores/state.ts';
import type { Passed } from './functions.ts';

/** Work that a scene left behind is done by then. */
export const SETTLED_MS = 10_000;

interface Playing {
  readonly scene: string;
  readonly began: number;
  ended: number;
}

export class CameBy {
  /** By function and point; those that take least time come first. */
  readonly #scenes: Map<string, readonly string[]>;
  /** Points that processes come by in their first run alone, by function and point. */
  readonly #ofStarts: Set<string>;
  /** By the id of a turn. */
  readonly #turns = new Map<string, Playing>();
  readonly #ids: ReadonlyMap<string, string>;
  readonly #passed: (verb: GateFunctionName) => readonly Passed[];

  /** `ids`: whose key is in an event. */
  constructor(
    known: { readonly scenes: Readonly<Record<string, readonly string[]>>; readonly ofStarts: readonly string[] },
    ids: ReadonlyMap<string, string>,
    passed: (verb: GateFunctionName) => readonly Passed[],
  ) {
    this.#scenes = new Map(Object.entries(known.scenes));
    this.#ofStarts = new Set(known.ofStarts);
    this.#ids = ids;
    this.#passed = passed;
  }

  begin(id: string, scene: string): void {
    this.#turns.set(id, { scene, began: Date.now(), ended: Number.POSITIVE_INFINITY });
  }

  /** The turn `id` is a part of another one. */
  share(id: string, whole: string): void {
    const playing = this.#turns.get(whole);
    if (playing) this.#turns.set(id, playing);
  }

  end(id: string): void {
    const playing = this.#turns.get(id);
    if (playing) playing.ended = Date.now();
  }

  all = () => ({ scenes: Object.fromEntries(this.#scenes), ofStarts: [...this.#ofStarts] });

  isOfStart = (verb: GateFunctionName, point: string): boolean => this.#ofStarts.has(`${verb} ${point}`);

  scenesAt = (verb: GateFunctionName, point: string): readonly string[] => this.#scenes.get(`${verb} ${point}`) ?? [];

  points = (verb: GateFunctionName): string[] =>
    [...this.#scenes.keys()].flatMap((key) => (key.startsWith(`${verb} `) ? [key.slice(verb.length + 1)] : []));

  /**
   * Notes what processes came by so far. Where nothing is named, as by a schedule, the scene is one of those that are played then: one of `own`,
   * which the function has, or any.
   */
  note(verb: GateFunctionName, own: ReadonlySet<string>): void {
    const told = new Map<string, Playing[]>();
    const guessed = new Map<string, Playing[]>();
    const passed = this.#passed(verb);
    for (const { point, at, names } of passed) {
      const then = [...this.#turns.values()].filter(({ began, ended }) => began <= at && at <= ended + SETTLED_MS);
      const ofOwn = then.filter(({ scene }) => own.has(scene));
      const named = this.#turnsIn(names).flatMap((id) => this.#turns.get(id) ?? []);
      getOrAdd(told, point, (): Playing[] => []).push(...named);
      getOrAdd(guessed, point, (): Playing[] => []).push(...(ofOwn.length ? ofOwn : then));
    }
    const later = new Set(passed.flatMap(({ point, isFirst }) => (isFirst ? [] : [point])));
    // Functions whose processes never ran twice tell nothing.
    for (const { point } of later.size ? passed : [])
      if (later.has(point)) this.#ofStarts.delete(`${verb} ${point}`);
      else this.#ofStarts.add(`${verb} ${point}`);
    for (const [point, playing] of guessed) {
      const named = told.get(point) ?? [];
      const found = shortestFirst(named.length ? named : playing);
      if (found.length) this.#scenes.set(`${verb} ${point}`, [...new Set([...this.scenesAt(verb, point), ...found])]);
    }
  }

  /** Points that nothing came by before other processes ended in this turn. */
  later(verb: GateFunctionName, id: string): string[] {
    const scene = this.#turns.get(id)?.scene;
    if (scene === undefined) return [];
    const mine = this.#passed(verb).flatMap(({ point, names }) => (this.#turnsIn(names).includes(id) ? [point] : []));
    const found = [...new Set(mine)].filter((point) => !this.#scenes.has(`${verb} ${point}`));
    for (const point of found) this.#scenes.set(`${verb} ${point}`, [scene]);
    return found;
  }

  /** Turns whose ids or proposals stand there. */
  #turnsIn(names: readonly string[]): string[] {
    const ids = names.map((name) => this.#ids.get(name) ?? name);
    return ids.flatMap((id) => /^k\d+/.exec(id) ?? []);
  }
}

const shortestFirst = (playing: readonly Playing[]): string[] =>
  playing.toSorted((one, other) => one.ended - one.began - (other.ended - other.began)).map(({ scene }) => scene);
