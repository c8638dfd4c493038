/** Names what `verify` may find of an archive, in the words that people read. */

export interface Finding {
  /** One of `FINDINGS`. */
  readonly kind: keyof typeof FINDINGS;
  /** The object, entry or seal that it is about. */
  readonly subject: string;
}

/** Kinds of findings, in the words that people read. */
export const FINDINGS = {
  'no-seals': 'holds no seal',
  'seal-missing': 'is missing: a seal was removed',
  'seal-wrong': 'is no seal of this deployment and key',
  'seal-chain': 'does not follow the seal before it',
  'seal-early': 'is dated in the future: nobody could tell from it that seals are no longer written',
  'seal-stranger': 'stands among the seals and is none',
  'seals-cut-off': 'is the anchor, and no seal has this hash: the newest seals were cut off, or all were written again',
  'seals-stopped':
    'is the newest seal, and is older than fifteen minutes: seals are no longer written, or were cut off',
  'anchor-wrong':
    'is an anchor that the gate took outside, and fits no seal of its day: seals were cut off or written again, or somebody put it there',
  'list-missing': 'is a list of objects that a seal names, and is not there',
  'list-wrong': 'is a list of objects, and is not as it was sealed, or names no object in one of its lines',
  'object-missing': 'is sealed and not there',
  'object-changed': 'is not as it was sealed',
  'object-resealed': 'is named by a seal of another time: it was sealed before, or was put there later',
  'object-stranger': 'stands in the archive and is no object of it',
  'object-unsealed': 'is older than ten minutes, and no seal names it',
  'line-wrong': 'holds a line that is no entry',
  'entry-twice': 'was archived twice, with different contents',
  'entry-changed': 'was changed or removed after it was written',
  'entry-misplaced': 'was put where no function of the gate puts such an entry',
  'row-changed': 'stands in the table otherwise than in the archive',
  'row-missing': 'is archived, and is gone from the table',
  'row-unarchived': 'stands in the table, and never reached the archive',
  'text-gone': 'is a text that an entry names by its digest, and is gone or was changed',
} as const;

/** One sentence on all findings together. */
export function conclusionOf(found: ReadonlyMap<Finding['kind'], number>): string {
  if (!found.size) return 'Nothing was changed.';
  if (found.size === 1 && found.has('no-seals'))
    return 'Nothing is proved: there is no seal. A gate writes its first one within ten minutes; later, its seals were removed.';
  return 'The record was changed.';
}
