/** States how long entries of the record stay in the table at least. */

/** Six months (G38), in milliseconds. */
export const MIN_RETENTION_MS = 183 * 24 * 60 * 60_000;
