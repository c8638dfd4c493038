/** Remembers the last operations on a row: one that is delivered again gets the same result. Pure. */
import { sha256Hex } from '../digest.ts';

/**
 * The mark of an operation: its id if it was done, a hash of id and code if it was refused. Rows of earlier releases hold ids only: this release
 * reads them, and the previous release reads the rows of this one.
 */
const markOf = (id: string, refusal: string | undefined): string =>
  refusal === undefined ? id : sha256Hex(`${id}#${refusal}`).slice(0, 16);

/** The result of an operation that the row remembers; undefined for any other. `refusals`: all that a remembered operation may have ended with. */
export function rememberedEnd<Refusal extends string>(
  remembered: readonly string[] | undefined,
  id: string,
  refusals: readonly Refusal[],
): 'done' | Refusal | undefined {
  if (remembered?.includes(id)) return 'done';
  return refusals.find((refusal) => remembered?.includes(markOf(id, refusal)));
}

/** The marks with that of one more operation: done, or refused with `refusal`. The oldest beyond `most` are dropped. */
export const withRemembered = (
  remembered: readonly string[] | undefined,
  id: string,
  refusal: string | undefined,
  most: number,
): string[] => [...(remembered ?? []), markOf(id, refusal)].slice(-most);
