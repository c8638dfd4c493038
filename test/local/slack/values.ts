/** Reads untyped JSON by small readers, so that the rest needs no casts. */
import type { Dict } from './types.ts';

export const isDict = (value: unknown): value is Dict =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const dictOf = (value: unknown): Dict => (isDict(value) ? value : {});

export const listOf = (value: unknown): Dict[] => (Array.isArray(value) ? value.filter(isDict) : []);

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Objects are merged key by key, everything else is replaced; a key set to `undefined` is removed. */
export function mergeDeep(base: Dict, changes: Dict): Dict {
  const merged: Dict = { ...base };
  for (const [key, value] of Object.entries(changes)) {
    const old = merged[key];
    if (value === undefined) delete merged[key];
    else merged[key] = isDict(value) && isDict(old) ? mergeDeep(old, value) : value;
  }
  return merged;
}

export function withoutUndefined(value: Dict): Dict {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}
