/** Lists the families of entries of the record. */

/**
 * By who writes them: each family has partitions of its own, so that IAM can tell writers apart, and is stored for a time of its own.
 * Only what decides writes `decision`; a permit is read from there.
 */
export const RECORD_FAMILIES = ['decision', 'vote', 'click', 'run', 'refusal', 'operation'] as const;
export type RecordFamily = (typeof RECORD_FAMILIES)[number];
