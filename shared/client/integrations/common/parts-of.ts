/** Checks the classes and functions of a framework that an adapter is given, so that it imports none. */
import { fn, record } from '../../../domain/settings.ts';

/** @throws InvalidSettingError that names the part */
export function partsOf<Parts extends object>(parts: Parts, ...names: readonly (keyof Parts & string)[]): Parts {
  record(parts, 'parts');
  for (const name of names) fn(parts[name], name);
  return parts;
}
