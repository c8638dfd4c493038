/** Tells whether a negation reaches a trigger: "don't, under any circumstances, mark gym as done". */
import { CONNECTORS } from './patterns.ts';
import type { Utterance, Word } from './utterance.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Also without its apostrophe. A thing that is almost done is not done. */
const NEGATION =
  /n't$|^(?:not|never|cannot|(?:do|does|did|have|ha[sd]|is|are|was|were|wo|ca|could|should|would|must|need)nt|nobody|none|neither|nor|hardly|barely|scarcely|almost|nearly|half|halfway)$/;
/** "no" alone answers: "no, delete it". In front of these it denies what follows: "no need to delete it". */
const NOUNS_OF_NO = words(
  'circumstance circumstances condition conditions account case cases event way means time point reason need one',
);
const PREPOSITIONS_OF_NO = words('under in on at by for with');

/** How a negation is made stronger: it says no other thing that is denied. */
const CIRCUMSTANCES = words(
  'under in on at by for of any all circumstance circumstances condition conditions account case cases event way means time point reason ' +
    'whatsoever whatever ever again at accident mistake',
);
/** Over these words a negation reaches the trigger. Over any other it denies something else: "I don't have milk remind me to buy some". */
const REACHED_OVER = new Set([
  ...CIRCUMSTANCES,
  ...words(
    'i we you me us anyone anybody that if whether to been be am are is have should would could can may might must will want need wish like let dare ' +
      'going gonna go try think know sure mean ask say said tell told bother please kindly yet all quite even just simply still now today ' +
      'tonight tomorrow the no this and',
  ),
]);
/** "accidentally", "actually"; but "reply" and "family" are short. */
const ADVERB = /.{5}ly$|^(?:really|fully|truly|wholly)$/;
/** An infinitive depends on the verb before it, and "let Bob delete it" too: whatever stands between, the negation reaches it. */
const GOVERNS = words('let make');
/** Triggers that are no infinitive: "don't let the milk spoil is done" names a task. */
const FINITE = words('is are done finished completed');
const OWN_SUBJECTS = words("i i'd i'm i've i'll we we'd we're we've we'll");
/** A negation of these denies nothing: "don't hesitate to" is a wish. */
const DENIES_AGAIN = words('forget forgot hesitate fail neglect mind worry afraid shy wait delay');

/** Words that begin another clause, besides the connectors of wishes. */
const CLAUSE_STARTS: ReadonlySet<string> = new Set([...CONNECTORS, 'so', 'but', 'because']);
const CLAUSE_MARKS = /[,.!?;:()–—]| - /u;
/** Marks that may stand around a circumstance. */
const PARENTHESIS = /^[\s,()–—-]*$/u;

/** Whether a negation of the clause reaches its last word, the trigger. */
export function isDenied(clause: readonly Word[]): boolean {
  const before = clause.slice(0, -1);
  const negation = before.findLastIndex((_, i) => isNegation(before, i));
  if (negation === -1) return false;
  const between = before.slice(negation + 1).map(({ key }) => key);
  if (between.some((key) => DENIES_AGAIN.has(key))) return false;
  if (between.every(isReachedOver)) return true;
  const trigger = clause.at(-1)?.key ?? '';
  const isGoverned = GOVERNS.has(between[0] ?? '') && !FINITE.has(trigger);
  return (between.at(-1) === 'to' || isGoverned) && !hasClauseOfItsOwn([...between, trigger]);
}

/** At word `i`, also where the negation takes several words, of which this is the last. */
export function isNegation(all: readonly Word[], i: number): boolean {
  const [before, word] = [all[i - 1], all[i]];
  if (word === undefined) return false;
  if (NEGATION.test(word.key)) return true;
  return NOUNS_OF_NO.has(word.key) && before?.key === 'no' && before.end + 1 === word.start;
}

/** The words of a clause up to word `at`, which belongs to it; none before word `from`. */
export function clauseTo({ text, words: all }: Utterance, from: number, at: number): readonly Word[] {
  // "no" is skipped as an answer, and is none in "no need".
  let first = all[from - 1]?.key === 'no' && isNegation(all, from) ? from - 1 : from;
  for (let i = from + 1; i <= at; i += 1) {
    const [before, next] = [all[i - 1], all[i]];
    if (before === undefined) continue;
    const mark = text.slice(before.end, next?.start);
    const isMark = CLAUSE_MARKS.test(mark) && !(PARENTHESIS.test(mark) && isOfCircumstance(all, first, i));
    if (isMark || (CLAUSE_STARTS.has(before.key) && !isGoAnd(all, i - 1))) first = i;
  }
  return all.slice(first, at + 1);
}

const isReachedOver = (key: string): boolean => REACHED_OVER.has(key) || ADVERB.test(key);

/** "I don't run I want to delete it": what is denied stands before a subject of its own. */
const hasClauseOfItsOwn = (between: readonly string[]): boolean => {
  const subject = between.findLastIndex((key) => OWN_SUBJECTS.has(key));
  return subject !== -1 && !between.slice(0, subject).every(isReachedOver);
};

/** The mark before word `i` begins or ends a circumstance of a negation: "never, ever", "don't, by any means, …". */
function isOfCircumstance(all: readonly Word[], first: number, i: number): boolean {
  let last = i - 1;
  while (last > first && !isNegation(all, last) && CIRCUMSTANCES.has(all[last]?.key ?? '')) last -= 1;
  if (!isNegation(all, last) || isAnswer(all.slice(first, i))) return false;
  const isOneItself = all[last - 1]?.key === 'no' && PREPOSITIONS_OF_NO.has(all[last - 2]?.key ?? '');
  return isOneItself || last < i - 1 || CIRCUMSTANCES.has(all[i]?.key ?? '');
}

/** "not at all, delete it": an answer to what was asked before, and a wish. */
const isAnswer = (said: readonly Word[]): boolean =>
  /^(?:not at all|(?:not|never) again)$/.test(said.map(({ key }) => key).join(' '));

/** "don't go and delete it" is one wish, "I can't go and I need to call Bob" another clause. */
const isGoAnd = (all: readonly Word[], i: number): boolean =>
  all[i]?.key === 'and' && ['go', 'try'].includes(all[i - 1]?.key ?? '') && !OWN_SUBJECTS.has(all[i + 1]?.key ?? '');
