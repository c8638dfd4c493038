/** Changes a shell text in a few places, so that texts appear that no grammar here would write. */
import type { Random } from './random.ts';

const PIECES = [
  '|',
  '||',
  '&',
  '&&',
  ';',
  ';;',
  '<',
  '>',
  '>>',
  '<<',
  '<<<',
  '(',
  ')',
  '((',
  '))',
  '{',
  '}',
  '$',
  '`',
  "'",
  '"',
  '\\',
  '\n',
  '\\\n',
  '#',
  ' #',
  '!',
  '[',
  ']',
  '[[',
  ']]',
  '*',
  '?',
  '~',
  '=',
  ' ',
  '\t',
  '$(',
  '${',
  '$((',
  '$1',
  '$@',
  '${E}',
  '$_',
  ' evil ',
  ' ./src/e.sh ',
  ' new ',
  '-',
  '--',
  ',',
  ':',
  '%',
  '^',
  '@',
  '+',
  '\r',
  '&>',
  '|&',
  ';&',
  'in',
  ' do ',
  ' done ',
  ' fi ',
  ' then ',
  ' esac ',
  'EOF',
  "$'",
  '$"',
  '\u00a0',
  '\u000b',
  '1',
  '2>',
  ' = ',
  '<(',
  '{a,b}',
];

export function mutated(text: string, random: Random): string {
  let result = text;
  for (let count = 1 + random.below(3); count > 0; count--) result = once(result, random);
  return result;
}

function once(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const to = Math.min(text.length, at + 1 + random.below(3));
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at) + text.slice(to);
    case 1:
      return text.slice(0, at) + text.slice(at, to) + text.slice(at);
    case 2:
      return text.slice(0, at) + random.pick(PIECES) + text.slice(to);
    default:
      return text.slice(0, at) + random.pick(PIECES) + text.slice(at);
  }
}
