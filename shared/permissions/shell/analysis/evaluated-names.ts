/** Finds built-ins that evaluate a variable's name: the substitution in `a[$(id)]` runs, even quoted. */
import { recordOf } from '../../programs/catalogue/index.ts';
import type { SetsVariables } from '../../programs/record/record.ts';
import { programOf, type ShellCommand } from '../syntax/command.ts';
import type { Field } from '../syntax/fields.ts';
import { isArithmeticTest } from '../walk/walk-helpers.ts';

function namesOf(sets: SetsVariables, words: readonly Field[]): readonly Field[] {
  if (sets.kind === 'option') {
    const { option } = sets;
    return words.filter(
      ({ text }, at) => words[at - 1]?.text === option || (text.startsWith(option) && text !== option),
    );
  }
  if (sets.kind !== 'operands') return NO_FIELDS;
  return words.filter(({ text }, at) => {
    const before = words[at - 1]?.text ?? '';
    const isValue = before.length > 1 && before.startsWith('-') && sets.values.includes(before.at(-1) as string);
    return !isValue && !(text.startsWith('-') && text.length > 1);
  });
}

const NO_FIELDS: readonly Field[] = [];

/** The variables that a built-in is told to set. */
export function namesSet(argv: readonly Field[]): readonly Field[] {
  const name = programOf(argv[0]);
  const sets = name === undefined ? undefined : recordOf(name)?.variables;
  return sets === undefined ? NO_FIELDS : namesOf(sets, argv.slice(1));
}

/** `declare 'a[$(id)]=1'`, `unset 'a[$(id)]'` and `declare -a a='($(id))'` run what is quoted. */
function isEvaluated({ text }: Field): boolean {
  const [name = '', value = ''] = text.split('=', 2);
  return name.includes('[') || value.startsWith('(');
}

/** `let i=0`. */
const ASSIGNS_NUMBER = /^[A-Za-z_]\w*=\d+$/;

/** Whether a name that it is given is not plain to see. */
export function evaluatesName({ argv }: ShellCommand): boolean {
  const name = programOf(argv[0]);
  if (name === undefined) return false;
  if (name === 'test') return isArithmeticTest(argv.slice(1));
  if (recordOf(name)?.declares !== undefined) return argv.slice(1).some(isEvaluated);
  // The value of a variable is evaluated, too: `x='a[$(id)]'; let x`.
  if (name === 'let') return argv.slice(1).some(({ text }) => !ASSIGNS_NUMBER.test(text));
  return namesSet(argv).some((word) => !word.isKnown || word.text.includes('['));
}
