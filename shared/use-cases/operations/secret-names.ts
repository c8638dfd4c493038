/** Finds secrets in the names that an operation states: they are kept, shown and compared as they are. */
import type { Operation } from '../../contract/operation.ts';
import { canonicalJson } from '../../domain/digest.ts';
import { ownValue } from '../../domain/own.ts';
import { holdsSecret } from '../audit/shown-subject.ts';
import type { Redactor } from '../redactor.ts';

/** Redacted where they are kept, or governed as a call of its own. */
const TEXTS = ['reason', 'answer', 'input'];

/** The first field that holds one. An operation that takes something back may name a secret that an earlier release took. */
export async function secretNameOf(wanted: Operation, redactor: Redactor): Promise<string | undefined> {
  if (await holdsSecret(wanted.operationId, redactor)) return 'operationId';
  if (takesBack(wanted)) return undefined;
  const names = Object.fromEntries(Object.entries(wanted).filter(([field]) => !TEXTS.includes(field)));
  // The wildcards of a rule stand for whatever a secret would be.
  const looked = wanted.kind === 'add-rule' ? { ...names, pattern: wanted.pattern.replaceAll(/:?\*/g, '') } : names;
  const { value, found } = await redactor.json(looked);
  if (!found) return undefined;
  return Object.keys(looked).find(
    (name) => canonicalJson(ownValue(value, name) ?? null) !== canonicalJson(looked[name]),
  );
}

const takesBack = (wanted: Operation): boolean =>
  wanted.kind === 'remove-rule' || (wanted.kind === 'pause' && wanted.effect === 'lift');
