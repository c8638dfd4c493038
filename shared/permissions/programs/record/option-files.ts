/** Finds operands that name a file of further options and names: `@file`. */
import type { Field } from '../../shell/syntax/fields.ts';

/** For programs that read such a file, which may hold every option that their record refuses. */
export const optionFile = (operands: readonly Field[]): string | undefined =>
  operands.some(({ text }) => text.startsWith('@')) ? 'a file of options' : undefined;
