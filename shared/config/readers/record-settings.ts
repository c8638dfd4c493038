/** Reads the `record` section of countersign.yaml, with its defaults. */
import type { RecordSection } from '../schema/record.ts';

const RETENTION_MS = 400 * 24 * 60 * 60_000;

/** Kinds of entries; each is stored for a time of its own. */
const RECORD_KINDS = ['decision', 'vote', 'click', 'run', 'refusal', 'operation'] as const;
type RecordKind = (typeof RECORD_KINDS)[number];

export interface RecordSettings {
  /** Whether entries hold the text of what was decided about, without its secrets. */
  readonly holdsText: boolean;
  /** Whether entries name people by aliases, and no text is stored that names them. */
  readonly hasAliases: boolean;
  /** By kind, in milliseconds. */
  readonly retention: Readonly<Record<RecordKind, number>>;
}

/** The settings with their defaults, which stand here so that a file without the section keeps its version. */
export function recordSettings(stated: RecordSection): RecordSettings {
  const {
    text: held = 'redacted',
    people = 'ids',
    retention: times,
  } = typeof stated === 'string' ? { text: stated } : (stated ?? {});
  const of = (kind: RecordKind) => (typeof times === 'number' ? times : times?.[kind]) ?? RETENTION_MS;
  return {
    holdsText: held === 'redacted',
    hasAliases: people === 'aliases',
    retention: Object.fromEntries(RECORD_KINDS.map((kind) => [kind, of(kind)])) as Record<RecordKind, number>,
  };
}
