/** Words the plain values of an input, which tell calls of one tool apart in lists. */
import { compareText } from '../text/compare-text.ts';
import { cut, MAX_VALUE, wordOf } from './one-line.ts';

/** Arguments in which agents say what a call is for. People read them under a label alone, and never before the rest. */
export const AGENTS_WORDS: ReadonlySet<string> = new Set([
  'description',
  'explanation',
  'justification',
  'purpose',
  'rationale',
  'reason',
]);

/** Characters of a value where not all have room: a long one hides no other. */
const MIN_VALUE = 12;
/** No more find room. */
const MAX_FIELDS = 20;

/** By name: an agent chooses no first one. */
export function plainFields(input: unknown): string {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input).toSorted(byName) : [];
  const words = fields
    .flatMap(([name, value]) => {
      const word = AGENTS_WORDS.has(name) ? undefined : wordOf(value);
      return word === undefined ? [] : [[wordOf(name) ?? [], word].flat()];
    })
    .slice(0, MAX_FIELDS);
  for (let most = MAX_VALUE; ; most--) {
    const text = words.map((pair) => pair.map((word) => quoted(cut(word, most))).join(' ')).join(', ');
    if (most <= MIN_VALUE || [...text].length <= MAX_VALUE) return cut(text, MAX_VALUE);
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => compareText(a, b);

/** A comma within a value would begin what looks like the next field. */
const quoted = (word: string): string => (/[",]/.test(word) ? JSON.stringify(word) : word);
