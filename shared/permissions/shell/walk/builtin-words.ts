/** Finds the built-in behind `command`, `time` and the like, which changes the shell itself. */
import { recordNamed } from '../../programs/catalogue/index.ts';
import { MAX_DEPTH } from '../syntax/budget.ts';
import type { Field } from '../syntax/fields.ts';

interface BuiltinWords {
  readonly argv: readonly Field[];
  /** Every shell runs the built-in so. */
  readonly certain: boolean;
}

const NONE: BuiltinWords = { argv: [], certain: true };

/** The command without the words before it that run it in the same shell: `command -p cd x`, `time ! cd x`. */
export function builtinWords(argv: readonly Field[]): BuiltinWords {
  let at = 0;
  let certain = true;
  let name = argv[0]?.text;
  // Commands within commands that are deeper are in doubt.
  for (let depth = 0; name !== undefined && depth <= MAX_DEPTH; depth++) {
    const record = recordNamed(name);
    if (record?.runsBuiltins !== true) break;
    // `command -v cd` names it, and runs nothing.
    if (record.free?.(argv.slice(at + 1)) === true) return NONE;
    certain &&= name === 'command';
    for (at++; isBetween(argv[at]); at++) certain = false;
    name = argv[at]?.text;
  }
  return at === 0 ? { argv, certain } : { argv: argv.slice(at), certain };
}

/** An option, or a negation. A word that is not known may be nothing. */
const isBetween = (field: Field | undefined): boolean =>
  field !== undefined && (field.text.startsWith('-') || field.text === '!' || !field.isKnown);
