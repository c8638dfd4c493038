/** Turns the people of one entry into aliases, and aliases into people again. */
import { aliasOf, hiddenDigest, isAlias } from '../../domain/record/alias.ts';
import type { RecordFamily } from '../../domain/record/record-families.ts';
import { type AuditRecord, familyOf } from '../../ports/stores/audit-log.ts';
import type { PeopleAliases } from './people-aliases.ts';
import { peopleIn, type Rename, renamedRecord } from './renamed-record.ts';

export interface AliasedRecord {
  readonly people: PeopleAliases;
  /** Whether entries are written with aliases (`record.people`). Entries that hold aliases are read in any case. */
  writesAliases(): boolean;
  /** Slack ids of the people of the policy file. */
  listed(): ReadonlySet<string>;
}

/** Entries of runs and of refused messages: the gate names nobody there, and those who write them make no aliases. */
const WITHOUT_PEOPLE: ReadonlySet<RecordFamily> = new Set(['run', 'refusal']);

export const aliasesInRecord = (record: AuditRecord): string[] => aliasesIn((rename) => renamedRecord(record, rename));

type Keys = Awaited<ReturnType<PeopleAliases['keysOf']>>;

/** `texts`: people besides those in the record's own fields, whom its texts may name. */
export async function aliased(record: AuditRecord, texts: readonly string[], by: AliasedRecord): Promise<AuditRecord> {
  if (!by.writesAliases() || WITHOUT_PEOPLE.has(familyOf(record.key.sort))) return record;
  const listed = by.listed();
  const { person, standsFor, task, voteDigest } = record.entry;
  // A person who acts is known from now on, and so is everybody of the policy file. For all others nothing is made that lasts: somebody who was
  // forgotten stays so.
  const acting = [person?.user, standsFor?.user, task?.user_id];
  const inFields = peopleIn(record);
  const keys = await by.people.keysFor(
    [...new Set([...inFields, ...texts, ...listedIn(listed, (rename) => renamedRecord(record, rename))])],
    (user) => listed.has(user) || acting.includes(user),
  );
  const renamed = renamedRecord(record, toAliases(keys));
  return {
    ...renamed,
    ...(voteDigest === undefined
      ? {}
      : { entry: { ...renamed.entry, voteDigest: hiddenDigest(voteDigest, votersIn(record, keys), record.key) } }),
    // The row of the approval is no part of the record: it goes when its time is over.
    ...(record.decision ? { rowDecision: record.decision } : {}),
  };
}

/** The entry with people in place of aliases; one whose secret is destroyed stays. */
export function restored(record: AuditRecord, keys: Keys): AuditRecord {
  const renamed = renamedRecord(record, toPeople(keys));
  const { voteDigest } = record.entry;
  if (voteDigest === undefined) return renamed;
  return {
    ...renamed,
    entry: { ...renamed.entry, voteDigest: hiddenDigest(voteDigest, votersIn(record, keys), record.key) },
  };
}

/** Secrets of who voted, and of whom they voted for; of aliases when the record is read. An entry that holds ids hides no digest. */
function votersIn({ entry: { person, standsFor } }: AuditRecord, keys: Keys) {
  return [person, standsFor].flatMap((one) => (one ? (keys.get(one.user) ?? []) : []));
}

/** Words among those that `renaming` goes through. */
function wordsIn(renaming: (rename: Rename) => unknown, isWanted: (word: string) => boolean): string[] {
  const found = new Set<string>();
  renaming((word) => {
    if (isWanted(word)) found.add(word);
    return word;
  });
  return [...found];
}

export const aliasesIn = (renaming: (rename: Rename) => unknown): string[] => wordsIn(renaming, isAlias);

/** People of the policy file whom a text names. */
export const listedIn = (listed: ReadonlySet<string>, renaming: (rename: Rename) => unknown): string[] =>
  wordsIn(renaming, (word) => listed.has(word));

export const toPeople =
  (keys: Keys): Rename =>
  (name) =>
    keys.get(name)?.user ?? name;

export function toAliases(keys: Keys): Rename {
  return (name) => {
    const key = keys.get(name);
    return key ? aliasOf(key) : name;
  };
}

/** Whether a decision of the record names somebody whose secret is destroyed: nothing tells any more whether they may still allow it. */
export const namesForgotten = (record: AuditRecord): boolean => aliasesInRecord(record).length > 0;
