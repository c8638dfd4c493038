/** Remembers operations with what became of them: one delivered again comes to the same. Pure. */
import { sha256Hex } from '../digest.ts';

/**
 * Remembers an operation that was done by its own id, and a refused one by a hash of its id and code. Older rows hold ids only, so this
 * release reads them and the previous release reads the rows of this one.
 */
const markOf = (id: string, refusal: string | undefined): string =>
  refusal === undefined ? id : sha256Hex(`${id}#${refusal}`).slice(0, 16);

/** `refusals`: all those that a remembered operation may have ended with. Undefined: the row does not remember it. */
export function heardBefore<Refusal extends string>(
  heard: readonly string[] | undefined,
  id: string,
  refusals: readonly Refusal[],
): 'done' | Refusal | undefined {
  if (heard?.includes(id)) return 'done';
  return refusals.find((refusal) => heard?.includes(markOf(id, refusal)));
}

/** Without a refusal it was done. The oldest are left out beyond `most`. */
export const withHeard = (
  heard: readonly string[] | undefined,
  id: string,
  refusal: string | undefined,
  most: number,
): string[] => [...(heard ?? []), markOf(id, refusal)].slice(-most);
