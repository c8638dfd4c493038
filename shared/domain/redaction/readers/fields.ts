/** Says of a field of an input whether its text runs, is a location, or is prose. */
import { keyKind, namesLocation } from '../../path-keys.ts';
import { isSecretName } from '../tables/names.ts';

/** Fields whose texts run: a mark in them has to stand where a value does. */
export const RUNS =
  /^(?:command|cmd|commands|script|args|argv|arguments|code|query|sql|program|executable|shell|run)$/i;

/** Where a text stands in the input. */
export interface Field {
  readonly name: string;
  /** The text runs, or is a part of text that runs. */
  readonly runs: boolean;
  /** The text is a location, or a part of one. */
  readonly isLocation: boolean;
  /** The program whose arguments stand beside it. */
  readonly program?: string | undefined;
}

export const TOP: Field = { name: '', runs: false, isLocation: false };

export function fieldBelow(above: Field, name: string): Field {
  const runs = RUNS.test(name) || (above.runs && !isSecretName(name));
  const isOther = runs || isSecretName(name) || isProse(name);
  return { name, runs, isLocation: !isOther && (above.isLocation || namesLocation(name)) };
}

/** Prose goes nowhere: it is written or sent to wherever the other fields say. */
export const isProse = (name: string): boolean => name !== 'value' && keyKind(name) === 'prose';

/** `{ command: 'docker', args: ['login', '-p', …] }`: the program of the arguments beside it. */
export function programIn(entries: readonly (readonly [string, unknown])[]): string {
  const program = entries.find(([key]) => /^(?:command|cmd|program|executable)$/i.test(key))?.[1];
  return typeof program === 'string' && /^[\w./-]{1,100}$/.test(program) ? program : '';
}
