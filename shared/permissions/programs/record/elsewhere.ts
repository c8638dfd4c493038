/** Says of a word whether it names something outside of the folder in which the command runs. */
import type { Field } from '../../shell/syntax/fields.ts';

/** An address, a folder above, or a path from the root or from a home: a rule on a project's own files does not say so much. */
export const isElsewhere = (field: Pick<Field, 'text' | 'isKnown'>): boolean =>
  isOutside(field) || field.text.includes('://') || field.text.startsWith('git@');

const isOutside = ({ text, isKnown }: Pick<Field, 'text' | 'isKnown'>): boolean =>
  !isKnown || text.startsWith('/') || text.startsWith('~') || text.split('/').includes('..');

/** Refuses folders elsewhere: those that the command makes or fills stay in the project. An address is none: `hugo -b https://a.test`. */
export const operandsInside = (operands: readonly Field[]): string | undefined =>
  operands.some(isOutside) ? 'a place outside of the project' : undefined;

/** The first operand is a source or a name, which may be anywhere. */
export const targetInside = (operands: readonly Field[]): string | undefined => operandsInside(operands.slice(1));

/** Refuses options whose value is a file or folder elsewhere: `make -C sub` does what `cd sub && make` does. */
export const insideOnly =
  (...names: readonly string[]) =>
  (name: string, value: Field): string | undefined =>
    names.includes(name) && isElsewhere(value) ? 'a place outside of the project' : undefined;

/** A package from an address is none of the index that everybody reads. */
export const noAddress = (operands: readonly Field[]): string | undefined =>
  operands.some(({ text }) => text.includes('://') || text.startsWith('git+'))
    ? 'a package from an address'
    : undefined;

/** A formula or a package of the system in a file, whose scripts run: no repository has looked at it. */
export const noPackageFile = (operands: readonly Field[]): string | undefined =>
  noAddress(operands) ??
  (operands.some(({ text }) => /\.(?:deb|rpm|apk|rb)$/.test(text)) ? 'a package in a file' : undefined);

/** `brew install me/tools/x` adds the collection `me/tools` by itself, as `brew tap` does, and runs what stands there. */
export const noOtherTap = (operands: readonly Field[]): string | undefined =>
  noPackageFile(operands) ??
  (operands.some(({ text }) => /^(?!homebrew\/)[^/]+\/[^/]+\/[^/]+$/i.test(text))
    ? 'a package of another tap'
    : undefined);
