/** Orders entries of the record, newest first, and names the point at which a page ended. */
import { CountersignError } from '../errors.ts';

export interface EntryPosition {
  /** Instant of the entry. */
  readonly at: string;
  /** Agent, pid and sort: what tells entries of one instant apart. */
  readonly id: string;
}

/** Negative: `a` is newer, and comes first. */
export function byNewest(a: EntryPosition, b: EntryPosition): number {
  if (a.at !== b.at) return a.at > b.at ? -1 : 1;
  return a.id === b.id ? 0 : a.id > b.id ? -1 : 1;
}

export const cursorOf = ({ at, id }: EntryPosition): string =>
  Buffer.from(JSON.stringify([at, id])).toString('base64url');

/** @throws CountersignError if the text is no cursor. */
export function readCursor(cursor: string): EntryPosition {
  try {
    const [at, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof at === 'string' && typeof id === 'string' && !Number.isNaN(Date.parse(at))) return { at, id };
  } catch {
    // No JSON: refused below.
  }
  throw new CountersignError('invalid_cursor', 'after: is no cursor that a page ended with');
}
