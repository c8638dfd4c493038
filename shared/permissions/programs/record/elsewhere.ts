/** Says of a word whether it names something outside of the folder in which the command runs. */
import type { Field } from '../../shell/syntax/fields.ts';

/** An address, a folder above, or a path from the root or from a home: a rule on a project's own files does not say so much. */
export function isElsewhere({ text, known }: Pick<Field, 'text' | 'known'>): boolean {
  if (!known || text.includes('://') || text.startsWith('git@')) return true;
  return text.startsWith('/') || text.startsWith('~') || text.split('/').includes('..');
}

/** Refuses operands elsewhere: folders that the command makes or fills stay in the project. */
export const operandsInside = (operands: readonly Field[]): string | undefined =>
  operands.some(isElsewhere) ? 'a place outside of the project' : undefined;

/** The first operand is a source or a name, which may be anywhere. */
export const targetInside = (operands: readonly Field[]): string | undefined => operandsInside(operands.slice(1));

/** Refuses options whose value is a file or folder elsewhere: `make -C sub` does what `cd sub && make` does. */
export const insideOnly =
  (...names: readonly string[]) =>
  (name: string, value: Field): string | undefined =>
    names.includes(name) && isElsewhere(value) ? 'a place outside of the project' : undefined;
