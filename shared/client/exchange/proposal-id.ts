/** Names the proposal of a call by the run and the framework's own id. */
import { isIdentifier } from '../../contract/bounds.ts';
import { sha256Hex } from '../../domain/digest.ts';
import { InvalidSettingError } from '../../domain/errors.ts';
import { shown } from '../../domain/settings.ts';

/** Longer ids, and those with other characters, are named by their digest. */
const MAX_ID = 63;

/** The id of a call's proposal. An id that cannot be part of it has its digest there. */
export const proposalIdOf = (run: string, callId: string): string => `${named(run)}:${named(callId)}`;

export const named = (id: string): string => (isIdentifier(id, MAX_ID) ? id : sha256Hex(id).slice(0, MAX_ID));

/** @throws InvalidSettingError: two ids that differ in half a surrogate pair alone would have one digest, and be one call. */
export function checkId(id: string | undefined, setting: string, source: string): void {
  if (id !== undefined && typeof id !== 'string')
    throw new InvalidSettingError(setting, `${shown(id)} is no text: ${source}`);
  if (!id?.trim()) throw new InvalidSettingError(setting, `is empty: ${source}`);
  if (!id.isWellFormed()) throw new InvalidSettingError(setting, 'holds half of a surrogate pair');
}
