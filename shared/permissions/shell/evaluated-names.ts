/** Built-ins that evaluate a variable's name: in `a[$(id)]`, quoted or not, the substitution runs (rules.md, subscripts). */
import type { ShellCommand } from './command.ts';
import { programOf } from './derive.ts';
import type { Field } from './fields.ts';
import { isArithmeticTest } from './walk-helpers.ts';

/** Options whose next word is a name. */
const NAME_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['printf', '-v'],
  ['wait', '-p'],
]);
/** Every operand is a name; the letters are those of options with a value, which is none. */
const TAKES_NAMES: ReadonlyMap<string, string> = new Map([
  ['read', 'dinNptu'],
  ['mapfile', 'cCdnOsu'],
  ['readarray', 'cCdnOsu'],
  ['getopts', ''],
]);

function namesOf(name: string, words: readonly Field[]): readonly Field[] {
  const option = NAME_OPTIONS.get(name);
  if (option !== undefined)
    return words.filter(
      ({ text }, at) => words[at - 1]?.text === option || (text.startsWith(option) && text !== option),
    );
  const values = TAKES_NAMES.get(name);
  if (values === undefined) return [];
  return words.filter(({ text }, at) => {
    const before = words[at - 1]?.text ?? '';
    const isValue = before.length > 1 && before.startsWith('-') && values.includes(before.at(-1) as string);
    return !isValue && !(text.startsWith('-') && text.length > 1);
  });
}

/** Whether a name that it is given is not plain to see. */
export function evaluatesName({ argv }: ShellCommand): boolean {
  const name = programOf(argv[0]);
  if (name === undefined) return false;
  const words = argv.slice(1);
  if (name === 'test') return isArithmeticTest(words);
  return namesOf(name, words).some((word) => !word.known || word.text.includes('['));
}
