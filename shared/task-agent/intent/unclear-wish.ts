/** Tells whether a sentence denies a wish, or asks about it: a trigger alone is then no wish. */
import { CONNECTORS } from './patterns.ts';
import type { Utterance, Word } from './utterance.ts';

/** Besides every word in "n't". */
const NEGATIONS: ReadonlySet<string> = new Set([
  ...[
    'not',
    'never',
    'cannot',
    'dont',
    'doesnt',
    'didnt',
    'havent',
    'hasnt',
    'hadnt',
    'isnt',
    'arent',
    'wasnt',
    'werent',
  ],
  ...['wont', 'cant', 'couldnt', 'shouldnt', 'wouldnt', 'mustnt', 'neednt'],
]);
const QUESTION_STARTS: ReadonlySet<string> = new Set([
  ...['how', 'why', 'what', "what's", 'whats', 'which', 'who'],
  ...['am', 'is', 'are', 'was', 'were', 'did', 'does', 'has', 'should'],
]);
/** A question only in front of a subject: "do remind me" is none. */
const QUESTION_VERBS: ReadonlySet<string> = new Set(['do', 'have', 'had']);
const SUBJECTS: ReadonlySet<string> = new Set(['i', 'we', 'you', 'he', 'she', 'it', 'they']);

/** Words that begin another clause, besides the connectors of wishes. */
const CLAUSE_STARTS: ReadonlySet<string> = new Set([...CONNECTORS, 'so', 'but', 'because']);
const CLAUSE_MARKS = /[,.!?;:]/u;

/** The words of a clause up to word `at`, which belongs to it; none before word `from`. */
export function clauseTo({ text, words }: Utterance, from: number, at: number): readonly Word[] {
  let first = from;
  for (let i = from + 1; i <= at; i += 1) {
    const [before, next] = [words[i - 1], words[i]];
    const isBreak = before && (CLAUSE_STARTS.has(before.key) || CLAUSE_MARKS.test(text.slice(before.end, next?.start)));
    if (isBreak) first = i;
  }
  return words.slice(first, at + 1);
}

/** "I haven't finished the report" finishes nothing, and "do I need to buy milk?" adds nothing. `clause` ends with the trigger's first word. */
export const isUnclearWish = (clause: readonly Word[]): boolean =>
  clause.length > 1 && (isQuestion(clause) || clause.slice(0, -1).some(isNegation));

const isQuestion = ([first, second]: readonly Word[]): boolean =>
  first !== undefined &&
  (QUESTION_STARTS.has(first.key) || (QUESTION_VERBS.has(first.key) && SUBJECTS.has(second?.key ?? '')));

/** Not to forget is to remember. */
function isNegation({ key }: Word, i: number, words: readonly Word[]): boolean {
  if (!key.endsWith("n't") && !NEGATIONS.has(key)) return false;
  const next = words.slice(i + 1).find((word) => !['let', 'me', 'us'].includes(word.key));
  return next?.key !== 'forget';
}
