/** Bounds when an entry of the record is archived, and when it may leave the table. */

/** Six months (G38), in milliseconds. */
export const MIN_RETENTION_MS = 183 * 24 * 60 * 60_000;

/** An entry is archived so long after it was written at most, in milliseconds: the stream keeps what waits for a day. */
export const MAX_ARCHIVE_DELAY_MS = 26 * 60 * 60_000;
