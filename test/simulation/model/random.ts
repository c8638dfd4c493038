/** Draws numbers from a seed: a stream for plans, and one number by a name for faults. */

export interface Dice {
  /** Between 0 and 1. */
  next(): number;
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  chance(share: number): boolean;
  one<Item>(items: readonly Item[]): Item;
}

/** The same seed gives the same numbers (mulberry32). */
export function diceOf(seed: number): Dice {
  let state = mix(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    return mix(state) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    chance: (share) => next() < share,
    one<Item>(items: readonly Item[]): Item {
      return items[below(items.length)] as Item;
    },
  };
}

/** A seed of its own for a name: what is drawn for one call of a port does not depend on what others drew before. */
export const seedOf = (seed: number, name: string, count: number): number => numbered(namedSeed(seed, name), count);

/** The part of `seedOf` that is the same for all counts of a name. */
export function namedSeed(seed: number, name: string): number {
  let hash = mix(seed ^ 0x9e3779b9);
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return hash;
}

export const numbered = (named: number, count: number): number => mix(named ^ Math.imul(count, 0x85ebca6b));

/** The first number of `diceOf` of that seed. */
export const firstOf = (seed: number): number => mix((mix(seed) + 0x6d2b79f5) | 0) / 2 ** 32;

function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d | 1);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
