/** Holds what one command would run besides itself, as the readers of the programs' records find it. */
import type { Field } from '../syntax/fields.ts';

export interface Unwrapped {
  /** Inner commands as words. */
  readonly argvs: readonly (readonly Field[])[];
  /** From this word on, each word may begin an inner command; with `codeWords`, each may be code by itself, too. */
  readonly from?: number | undefined;
  readonly codeWords?: boolean | undefined;
  /** Code for a shell; `undefined` where it is not known. */
  readonly code: readonly (string | undefined)[];
  /** An interpreter or shell reads code that another command makes (the built-in class `decode-and-run`). */
  readonly runsOutputAsCode: boolean;
  /** The command reads code from standard input. */
  readonly readsStdin: boolean;
  /** The code has words behind it, which it finds in its parameters. */
  readonly givesParameters?: boolean | undefined;
}

export const NOTHING: Unwrapped = { argvs: [], code: [], runsOutputAsCode: false, readsStdin: false };

export function codeOf(fields: readonly Field[]): string | undefined {
  return fields.every((field) => field.isKnown) ? fields.map((field) => field.text).join(' ') : undefined;
}

export function hasOpaque(fields: readonly Field[]): boolean {
  return fields.some((field) => !field.isKnown && field.atoms.some((atom) => atom.kind === 'opaque'));
}
