/** Finds secrets in the names that an operation states: they are kept, shown and compared as they are. */
import type { Operation } from '../../contract/operation.ts';
import { canonicalJson } from '../../domain/digest.ts';
import { ownValue } from '../../domain/own.ts';
import { holdsSecret } from '../audit/shown-subject.ts';
import type { Redactor } from '../redactor.ts';

/** Redacted where they are kept, or governed as a call of its own. */
const TEXTS = ['reason', 'answer', 'input'];

/**
 * Two readings of a rule: the rule holds a secret only if both do. The first drops the wildcards, because a wildcard itself may look like a
 * secret's value. The word behind a dropped one may then look like one, too (`TOKEN=* make`), so that the second reading replaces wildcards by
 * variables, and drops only those at the end.
 */
const readingsOf = (pattern: string): readonly string[] => [
  pattern.replaceAll(WILDCARD, ''),
  pattern
    .replace(/(?:\s*:?\*)+(?=\)?$)/, '')
    .replaceAll(/:?\*(?!\w)/g, () => '$X')
    .replaceAll(WILDCARD, ''),
];
const WILDCARD = /:?\*/g;

/** The first field that holds one. An operation that takes something back may name a secret that an earlier release took. */
export async function secretNameOf(wanted: Operation, redactor: Redactor): Promise<string | undefined> {
  if (await holdsSecret(wanted.operationId, redactor)) return 'operationId';
  if (takesBack(wanted)) return undefined;
  const names = Object.fromEntries(Object.entries(wanted).filter(([field]) => !TEXTS.includes(field)));
  const looks =
    wanted.kind === 'add-rule' ? readingsOf(wanted.pattern).map((pattern) => ({ ...names, pattern })) : [names];
  const read = await Promise.all(looks.map((look) => redactor.json<Readonly<Record<string, unknown>>>(look)));
  const [look = names] = looks;
  if (!read.every(({ found }) => found)) return undefined;
  return Object.keys(look).find(
    (name) => canonicalJson(ownValue(read[0]?.value ?? look, name) ?? null) !== canonicalJson(ownValue(look, name)),
  );
}

const takesBack = (wanted: Operation): boolean =>
  wanted.kind === 'remove-rule' || (wanted.kind === 'pause' && wanted.effect === 'lift');
