/** `time timeout nice nohup stdbuf`: an allow sees through them if their options are literal and known (rules.md, "Commands"). */
import type { Field } from './fields.ts';
import { WRAPPERS } from './wrappers.ts';

function isNumberLike(text: string): boolean {
  return text.length > 0 && [...text].every((char) => (char >= '0' && char <= '9') || 'smhdLKMG.-+'.includes(char));
}

/** The inner command; `undefined` if the command is no plain wrapper; `unclear` if its options are not literal and known. */
export function plainWrapperInner(argv: readonly Field[]): readonly Field[] | 'unclear' | undefined {
  const first = argv[0];
  const wrapper = first === undefined ? undefined : WRAPPERS.get(first.text);
  if (wrapper?.plain !== true) return undefined;
  let operands = wrapper.operands;
  for (let at = 1; at < argv.length; at++) {
    const { text, known, glob } = argv[at] as Field;
    if (!known || glob) return 'unclear';
    const equals = text.indexOf('=');
    if (text === '--') continue;
    if (text.startsWith('-') && text.length > 1) {
      const name = text.startsWith('--') && equals > 0 ? text.slice(0, equals) : text;
      if (wrapper.values.has(text)) {
        at += 1;
        const value = argv[at];
        if (value === undefined || !value.known || value.glob) return 'unclear';
      } else if (
        !(wrapper.flags?.has(text) === true || wrapper.values.has(name) || isShortWithValue(text, wrapper.values))
      )
        return 'unclear';
    } else if (operands > 0) {
      if (!isNumberLike(text)) return 'unclear';
      operands -= 1;
    } else {
      return argv.slice(at);
    }
  }
  return 'unclear';
}

function isShortWithValue(text: string, values: ReadonlySet<string>): boolean {
  if (text.startsWith('--')) return false;
  return (values.has(text.slice(0, 2)) && text.length > 2) || isNumberLike(text.slice(1));
}
