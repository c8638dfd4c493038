/** Reads the `record` section of countersign.yaml, with its defaults. */
import { RECORD_FAMILIES, type RecordFamily } from '../../domain/record/record-families.ts';
import type { RecordSection } from '../schema/record.ts';

const RETENTION_MS = 400 * 24 * 60 * 60_000;

export interface RecordSettings {
  /** Whether entries hold the text of what was decided about, without its secrets. */
  readonly holdsText: boolean;
  /** Whether entries name people by aliases, and no text is stored that names them. */
  readonly hasAliases: boolean;
  /** By family, in milliseconds. */
  readonly retention: Readonly<Record<RecordFamily, number>>;
}

/** The settings with their defaults, which stand here so that a file without the section keeps its version. */
export function recordSettings(stated: RecordSection): RecordSettings {
  const {
    text: held = 'redacted',
    people = 'ids',
    retention: times,
  } = typeof stated === 'string' ? { text: stated } : (stated ?? {});
  const of = (family: RecordFamily) => (typeof times === 'number' ? times : times?.[family]) ?? RETENTION_MS;
  return {
    holdsText: held === 'redacted',
    hasAliases: people === 'aliases',
    retention: Object.fromEntries(RECORD_FAMILIES.map((family) => [family, of(family)])) as Record<
      RecordFamily,
      number
    >,
  };
}
